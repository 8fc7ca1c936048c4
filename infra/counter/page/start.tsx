import './style.css';
import { render } from 'preact';
import { App, startSession } from './shell.tsx';
import { watchTab } from './ui/server.ts';
import { keepFocus } from './ui/view.tsx';

watchTab();
void startSession();
render(<App />, document.body);
keepFocus();
