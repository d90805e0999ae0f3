// The playground: psic itself stands in the page.
import {makeApp} from './start';
import {WasmEngine} from './engine';
import {PlaygroundView, type Program} from './views/playground';

const app = makeApp();
(window as any).psic = app;
const text = (id: string) => document.getElementById(id)?.textContent ?? '';
const programs = text('programs').startsWith('@') ? [] : JSON.parse(text('programs')) as Program[];
const engine = new WasmEngine(text('wasm'));
const view = new PlaygroundView(engine, programs);
app.views.set('playground', view);
app.extraLink = () => view.linkPart();
app.engine = view.predicates();
(window as any).psicEngine = engine;
app.openEmpty('playground');
view.begin(app).catch(error => app.toast(`psic cannot start here: ${(error as Error).message}`));
