// The strip of passes, a slider. A step that changed nothing is a tick; one that did has its name, options
// and lines.
import type {App} from './app';
import type {Step} from './data';
import {el, kbd, plural} from './dom';

const options = (step: Step) => Object.entries(step.options).map(([k, v]) => `${k}=${v}`).join(',');
// Without the empty place before it.
export const failureWords = (message: string) => message.replace(/^: (?:error: )?/, '').trim();
export const stepTitle = (step: Step) => step.pass + (options(step) ? `(${options(step)})` : '');
export function stepWords(step: Step, index: number): string {
  if (index === 0) return 'input';
  if (!step.changed) return `${step.pass}: no change`;
  return `${step.pass}: ${plural(step.added, 'line')} added, ${step.removed} removed`;
}
function note(app: App, step: Step, index: number): string {
  if (index === 0) {
    const snap = app.func.at(0);
    return `${plural(snap.data.order.length, 'block')}, ${snap.rows.length} instr.`;
  }
  if (step.added || step.removed) return `+${step.added} −${step.removed}`;
  return step.changes.changed.length ? `~${step.changes.changed.length}` :
      step.changes.moved.length ? `${step.changes.moved.length} moved` :
                                  'changed';
}

// Widths: with little room options go first, then unchanged runs shrink, then names.
function widths(
    app: App, steps: readonly Step[], room: number): {width: number[]; args: boolean; tick: number} {
  const last = steps.length - 1;
  for (const [args, tick, most] of [
           [true, 11, 400], [false, 11, 400], [false, 7, 160], [false, 4, 90], [false, 2, 48],
           [false, 1, 18]] as [boolean, number, number][]) {
    const width = steps.map((step, i) => {
      if (i > 0 && !step.changed) return tick;
      const name = step.pass.length * 7.2,
            extra = args && options(step) ? (options(step).length + 3) * 6.6 : 0;
      return Math.min(most, Math.max(name + extra, i === last ? 40 : note(app, step, i).length * 6.4) + 16);
    });
    if (width.reduce((a, b) => a + b, 0) <= room || most === 18) return {width, args, tick};
  }
  throw new Error('unreachable');
}

export function passStrip(app: App): HTMLElement {
  const {state} = app, steps = app.func.data.steps, current = state.step;
  const base = app.base;
  const {width, args} = widths(app, steps, Math.max(300, innerWidth - 340));
  const {failure} = app.func.data;
  const track = el('div', {
    class: 'steps',
    role: 'slider',
    'aria-label': 'Pass',
    'aria-valuenow': current,
    'aria-valuemin': 0,
    'aria-valuemax': steps.length - 1,
    'aria-valuetext': `step ${current}, ${stepWords(steps[current], current)}`,
    tabindex: 0,
    'data-k': 'strip'
  });
  let x = 0;
  const left: number[] = [];
  steps.forEach((step, i) => {
    left.push(x);
    x += width[i];
    const same = i > 0 && !step.changed;
    const small = width[i] < 40;
    const shown = !same && (!small || i === current);
    track.append(
        el('div', {
          class: 'step' + (same ? ' same' : '') + (i < current ? ' past' : '') +
              (state.compare && i === base ? ' base' : '') +
              (i === steps.length - 1 && !failure ? ' last' : ''),
          'aria-current': i === current ? 'step' : undefined,
          'data-step': i,
          style: `width:${width[i]}px`,
          title: `${i}. ${stepTitle(step)}${i && !step.changed ? ': no change' : ''}`,
          on: {click: () => app.set({step: i})}
        },
           el('span', {class: 't' + (small ? ' over' : '')}, shown || same && i === current ? step.pass : '',
              shown && args && options(step) ? el('small', {}, ` (${options(step)})`) : ''),
           el('span', {class: 'rail'}), el('span', {class: 'dot'}),
           el('span', {class: 'd'}, shown && width[i] >= 52 ? note(app, step, i) : '')));
  });
  // The steps after one that failed are missing.
  if (failure)
    track.append(
        el('div', {
          class: 'step failed last',
          title: failureWords(failure.message),
          style: `width:${failure.pass.length * 7.2 + 30}px`
        },
           el('span', {class: 't'}, failure.pass), el('span', {class: 'rail'}), el('span', {class: 'dot'}),
           el('span', {class: 'd'}, 'failed')));
  // Names that the current one covers.
  const covered = left[current] + steps[current].pass.length * 7.2 + 12;
  for (let i = current + 1; i < steps.length && left[i] < covered; ++i)
    track.children[i].classList.add('covered');
  // Brackets over the steps of one pipeline or fixpoint.
  for (let i = 0; i < steps.length;) {
    const group = steps[i].groups[0];
    let end = i + 1;
    while (group && end < steps.length && steps[end].groups[0]?.name === group.name &&
           steps[end].groups[0]?.number === group.number)
      ++end;
    if (group && end - i > 1) {
      const from = left[i], to = end < steps.length ? left[end] - 4 : x;
      const iterations =
          Math.max(...steps.slice(i, end).map(s => Math.max(0, ...s.groups.map(g => g.iteration))));
      const words = group.name + (iterations > 1 ? `, ${iterations} iterations` : '');
      track.append(
          el('span', {class: 'group', style: `left:${from}px;width:${to - from}px`},
             to - from > words.length * 6 ? el('span', {}, words) : ''));
    }
    i = end;
  }
  requestAnimationFrame(() => {
    const node = track.children[current] as HTMLElement | undefined;
    if (node && track.scrollWidth > track.clientWidth)
      track.scrollLeft = Math.max(0, node.offsetLeft - track.clientWidth / 2);
  });
  const button = (key: string, label: string, step: number) =>
      el('button', {
        type: 'button',
        class: 'key-button',
        'aria-label': `${key} ${label}`,
        title: label,
        'data-k': label,
        disabled: step < 0 || step >= steps.length,
        on: {click: () => app.set({step})}
      },
         kbd(key));
  return el(
      'nav', {class: 'passes', 'aria-label': 'Passes'},
      el('span', {class: 'nav'}, button('←', 'Step back', current - 1), button('→', 'Step on', current + 1),
         el('span', {class: 'count'}, `step ${current} of ${steps.length - 1}`)),
      track,
      el('span', {class: 'nav'},
         el('button', {
           type: 'button',
           class: 'toggle' + (state.compare ? ' on' : ''),
           'aria-pressed': state.compare ? 'true' : 'false',
           'data-k': 'compare',
           on: {click: () => app.set({compare: !state.compare})}
         },
            el('i', {}), 'Compare', kbd('c'))));
}
