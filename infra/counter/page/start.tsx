import './style.css';
import { render } from 'preact';
import { App, startSession } from './shell.tsx';
import { keepFocus } from './view.tsx';
// Last, since it overrides the styles of every view.
import './print.css';

void startSession();
render(<App />, document.body);
keepFocus();
