import {App, type Engine} from './app';
import type {Explored} from './data';
import {el} from './dom';
import {FlowView} from './views/flow';
import {LiveView} from './views/live';
import {ScheduleView} from './views/schedule';
import {StepsView} from './views/steps';

// Questions for `psic explore --serve`, from which the page came.
function served(data: Explored): Engine {
  return {
    query: async question => {
      const request =
          {language: data.source.language, text: data.source.text, passes: data.passes, ...question};
      return await (await fetch('/query', {
               method: 'POST',
               headers: {'Content-Type': 'application/json'},
               body: JSON.stringify(request)
             }))
          .json();
    }
  };
}

export function makeApp(): App {
  const app = new App(document.body);
  app.views.set('flow', new FlowView());
  app.views.set('live', new LiveView());
  app.views.set('schedule', new ScheduleView());
  app.views.set('steps', new StepsView());
  return app;
}

export function start(text: string): void {
  const app = makeApp();
  (window as any).psic = app;
  const open = (json: string, name: string) => {
    try {
      const data = JSON.parse(json) as Explored;
      if (!Array.isArray(data.functions)) throw new Error('it has no functions');
      if (data.serve) app.engine = served(data);
      app.open(data);
    } catch (error) {
      app.main.replaceChildren(
          el('p', {class: 'empty'}, `${name} cannot be shown: ${(error as Error).message}`));
    }
  };
  if (text.trim() && !text.startsWith('@')) {
    open(text, 'The data of this page');
    return;
  }
  const input = el('input', {
    type: 'file',
    accept: '.json,application/json',
    'aria-label': 'Data to show',
    on: {change: () => read(input.files?.[0])}
  });
  const read = (file: File|undefined) => {
    if (file) void file.text().then(json => open(json, file.name));
  };
  addEventListener('dragover', event => event.preventDefault());
  addEventListener('drop', event => {
    event.preventDefault();
    read(event.dataTransfer?.files[0]);
  });
  app.main.replaceChildren(
      el('div', {class: 'empty'}, el('b', {}, 'Drop what psic explore --json wrote'),
         el('p', {}, 'This page is empty: psic explore FILE -o page.html makes one with a program in it.'),
         input));
}
