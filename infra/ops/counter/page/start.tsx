import './style.css';
import './ui/ui.css';
import './ui/table.css';
import './shell/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { askQueueAhead } from './queue/use-queue.ts';
import { route } from './routes.ts';
import { session, startSession } from './session.ts';
import { keepFocus } from './ui/kept-focus.ts';
// Last, since it overrides the styles of every view.
import './print.css';

void startSession();
if (session.value.state === 'opening' && route.value.view === 'queue') askQueueAhead();
render(<App />, document.body);
keepFocus();
