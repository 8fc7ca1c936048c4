import './style.css';
import './ui/ui.css';
import './ui/table.css';
import './shell/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { startSession } from './session.ts';

void startSession();
render(<App />, document.body);
