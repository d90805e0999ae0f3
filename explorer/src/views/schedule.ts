// 3 Schedule: cycles down, slots across; what psic's data has, and nothing else.
import type {App, View} from '../app';
import {code} from '../code';
import type {InstId, Schedule} from '../data';
import {el, muted, plural, segments, svg, type Kid} from '../dom';
import {sideOpen} from '../keys';
import {elbow, full, slotOf, strip} from '../lanes';
import type {Snap} from '../model';
import {rail} from './flow';

const CARD = 46, GAP = 24;

export class ScheduleView implements View {
  private box: HTMLElement|null = null;

  draw(app: App, box: HTMLElement): void {
    this.box ??= el('div', {class: 'work'});
    if (box.firstChild !== this.box) box.replaceChildren(this.box);
    const {snap, state} = app, schedules = snap.data.schedules || [];
    if (!schedules.length) {
      this.box.style.gridTemplateColumns = '1fr';
      const later =
          app.func.data.steps.findIndex(step => app.func.snap(step.snapshot).data.schedules?.length);
      this.box.replaceChildren(el(
          'div', {class: 'empty'}, el('b', {}, 'No schedule at this step'),
          el('p', {},
             later >= 0 ?
                 `There is one after step ${later}, ${app.func.data.steps[later].pass}.` :
                 'None of the passes that ran has scheduled this function, so there are no cycles, slots or dependences to show.')));
      return;
    }
    const side = sideOpen(app);
    this.box.style.gridTemplateColumns = `minmax(0,1fr) ${side ? '396px' : '34px'}`;
    const names = schedules.map(
        (s, i) => [String(i),
                   `${snap.blocks.get(s.block)?.name ?? ''} ${s.kind}${
                       s.aware ? '' : ', blind'}`] as [string, string]);
    const chosen = schedules[Math.min(state.schedule, schedules.length - 1)];
    // Aware and blind of one block stand below each other.
    const shown = schedules.filter(s => s.block === chosen.block && s.kind === chosen.kind);
    const main = el(
        'section', {class: 'pane', 'aria-label': 'Schedule'},
        el('div', {class: 'head'}, el('h2', {}, chosen.kind === 'modulo' ? 'Modulo schedule' : 'Schedule'),
           el('span', {class: 'sub m'}, snap.blocks.get(chosen.block)?.name ?? ''),
           el('span', {class: 'end'},
              names.length <= 6 ?
                  segments('Schedule', names, String(state.schedule), id => app.set({schedule: Number(id)})) :
                  el('select', {
                    class: 'pick',
                    'aria-label': 'Schedule',
                    on: {
                      change: (event: Event) =>
                          app.set({schedule: Number((event.target as HTMLSelectElement).value)})
                    }
                  },
                     names.map(
                         ([id, title]) =>
                             el('option', {value: id, selected: id === String(state.schedule)}, title))))),
        el('div', {class: 'scheds', tabindex: 0, role: 'region', 'aria-label': 'Cycles and slots'},
           shown.map(s => this.table(app, snap, s))));
    main.addEventListener('click', event => app.click(event));
    this.box.replaceChildren(
        main,
        side ? this.side(app, snap, chosen) :
               rail('i', 'Operation, assembly', true, () => app.set({side: true})));
  }

  private card(app: App, snap: Snap, schedule: Schedule, id: InstId, stage: number): HTMLElement {
    const inst = snap.insts.get(id), slots = snap.slots(schedule.block),
          present = snap.blocks.get(schedule.block)?.lanes ?? '';
    const mask = inst?.lanes ?? '';
    return el(
        'div', {
          class: 'opc' + (app.state.inst === id ? ' sel' : ''),
          'data-i': id,
          'data-op': id,
          title: inst?.text
        },
        slots.length ?
            el('span', {class: 'tr', style: `width:${slots.length * 10 + 6}px`},
               [...present].map((bit, i) => bit === '0' ? '' : el('i', {
                                  class: `k${slotOf(slots, i)} ${mask[i] === '0' ? 'thin' : 'fill'}`,
                                  style: `left:${4 + i * 10}px`
                                }))) :
            '',
        el('div', {class: 'tx'},
           code(inst?.text ?? '', {snap, block: schedule.block, inst: id, value: app.state.value})),
        el('span', {
          class: schedule.modulo ? `stage s${Math.min(stage, 2)}` : 'id',
          title: schedule.modulo ? 'stage' : undefined
        },
           schedule.modulo ? stage : snap.number.get(id) ?? ''));
  }

  private table(app: App, snap: Snap, schedule: Schedule): HTMLElement {
    const {state} = app, cycles = schedule.modulo ? schedule.modulo.ii : schedule.length,
          n = schedule.slots.length;
    const at = new Map < string, {
      id: InstId;
      stage: number
    }
    >();
    for (const op of schedule.operations)
      at.set(`${op.cycle % cycles},${op.slot}`, {id: op.id, stage: op.stage});
    const rows: Kid[] = [];
    for (let c = 0; c < cycles; ++c)
      rows.push(el('span', {class: 'cy'}, c), ...Array.from({length: n}, (_, s) => {
        const op = at.get(`${c},${s}`);
        return op ? this.card(app, snap, schedule, op.id, op.stage) : el('div', {class: 'none'});
      }));
    const grid =
        el('div', {
          class: 'sched',
          style: `grid-template-columns:30px repeat(${n}, minmax(150px, 1fr));row-gap:${GAP}px`
        },
           el('span', {}), schedule.slots.map(s => el('span', {class: 'slot'}, s)), rows);
    const sheet =
        el('div', {class: 'sheet auto'},
           el('h2', {}, el('b', {}, plural(cycles, 'cycle')),
              schedule.modulo    ? 'an iteration' :
                  schedule.aware ? 'predicate-aware' :
                                   'blind to predicates',
              schedule.modulo ? el('small', {}, 'kernel; the number in the corner is the stage') : ''),
           grid);
    requestAnimationFrame(() => {
      const wanted =
          schedule.dependences.filter(d => state.dependences || d.to === state.inst || d.from === state.inst);
      grid.querySelector('.deps')?.remove();
      const picture = svg('svg', {class: 'deps', 'aria-hidden': 'true'});
      wanted.slice(0, 300).forEach((d, k) => {
        const a = grid.querySelector<HTMLElement>(`[data-op="${d.from}"]`),
              b = grid.querySelector<HTMLElement>(`[data-op="${d.to}"]`);
        if (!a || !b || d.distance) return;
        const x0 = a.offsetLeft + a.offsetWidth / 2, y0 = a.offsetTop + CARD,
              x1 = b.offsetLeft + b.offsetWidth / 2 + (k % 5 - 2) * 9, y1 = b.offsetTop,
              mid = y1 - 6 - k % 3 * 6;
        picture.append(
            svg('path', {
              d: elbow([[x0, y0], [x0, mid], [x1, mid], [x1, y1]]),
              class: d.blind_only ? 'dep blind' : 'dep'
            }),
            svg('path',
                {d: `M${x1 - 4},${y1 - 6}h8l-4,6Z`, class: d.blind_only ? 'dep-tip blind' : 'dep-tip'}),
            svg('text',
                {x: (x0 + x1) / 2, y: mid + 4, 'text-anchor': 'middle', class: d.blind_only ? 'blind' : ''},
                `${d.kind}${d.value !== null ? ' ' + (snap.values.get(d.value)?.name ?? '') : ''}`));
      });
      grid.append(picture);
    });
    return schedule.modulo ? el('div', {}, sheet, this.overlap(app, schedule)) : sheet;
  }

  // Iterations over each other: one begins every II cycles.
  private overlap(app: App, schedule: Schedule): HTMLElement {
    const ii = schedule.modulo!.ii, N = 5, H = 18, W = 74,
          rows = Math.min(60, schedule.length + ii * (N - 1));
    const picture = svg('svg', {
      class: 'bars flat',
      width: 40 + N * W,
      height: 40 + rows * H,
      role: 'img',
      'aria-label': 'Iterations overlapped'
    });
    const first = (schedule.modulo!.stages - 1) * ii;
    picture.append(
        svg('rect', {x: 26, y: 30 + first * H, width: N * W + 10, height: ii * H, class: 'kernel'}));
    for (let c = 0; c <= rows; ++c)
      picture.append(
          svg('line', {
            x1: 26,
            x2: 36 + N * W,
            y1: 30 + c * H,
            y2: 30 + c * H,
            stroke: 'var(--line)',
            'stroke-width': c % ii ? 0.6 : 1.4
          }),
          c < rows ? svg('text', {x: 20, y: 43 + c * H, 'text-anchor': 'end'}, c) : '');
    for (let k = 0; k < N; ++k) {
      picture.append(svg('text', {x: 58 + k * W, y: 22, 'text-anchor': 'middle'}, k ? `i + ${k}` : 'i'));
      const used = new Map<number, number>();
      for (const op of schedule.operations) {
        const c = op.cycle + op.stage * 0 + k * ii;
        if (c >= rows) continue;
        const j = used.get(c) ?? 0;
        used.set(c, j + 1);
        if (j > 2) continue;
        picture.append(
            svg('rect', {
              x: 31 + k * W + j * 21,
              y: 32 + c * H,
              width: 19,
              height: H - 4,
              rx: 2.5,
              class: `it s${Math.min(2, op.stage)}${op.id === app.state.inst ? ' sel' : ''}`,
              'data-i': op.id
            }),
            svg('text', {
              x: 40.5 + k * W + j * 21,
              y: 42.5 + c * H,
              'text-anchor': 'middle',
              class: `it s${Math.min(2, op.stage)}`
            },
                app.snap.number.get(op.id) ?? ''));
      }
    }
    return el(
        'div', {class: 'sheet auto'},
        el('h2', {}, 'Iterations overlapped', el('small', {}, `one begins every ${plural(ii, 'cycle')}`)),
        picture);
  }

  private side(app: App, snap: Snap, schedule: Schedule): HTMLElement {
    const {state} = app, op = schedule.operations.find(o => o.id === state.inst);
    const line = (id: InstId) =>
        code(snap.insts.get(id)?.text ?? '', {snap, block: schedule.block, inst: id, limit: 40});
    const needs = op ? schedule.dependences.filter(d => d.to === op.id) : [];
    const m = schedule.modulo, slots = snap.slots(schedule.block);
    return el('aside', {class: 'pane inspector', 'aria-label': 'Operation'},
        m ? el('div', {class: 'sect'}, el('div', {class: 'body'}, el('div', {class: 'big'}, [[m.ii, 'II'], [m.resource, 'by resources'], [m.recurrence, 'by recurrence'], [m.stages, 'stages']].map(([a, b]) => el('div', {}, el('b', {}, a), el('span', {}, b)))), m.limits.length ? [el('p', {class: 'note'}, 'What limits it:'), m.limits.map(id => el('div', {'data-i': id}, line(id)))] : '')) : '',
        el('div', {class: 'sect'}, el('div', {class: 'head'}, el('h2', {}, op ? ['Line ', snap.number.get(op.id)] : 'Operation'), el('span', {class: 'end'}, op ? `cycle ${op.cycle}, ${schedule.slots[op.slot]}` : '')), el('div', {class: 'body'}, op ? el('dl', {class: 'facts'},
            snap.insts.get(op.id)?.lanes && !full(snap.insts.get(op.id)!.lanes) ? [el('dt', {}, 'executed'), el('dd', {}, strip(snap.insts.get(op.id)!.lanes, slots))] : '',
            el('dt', {}, 'needs'), el('dd', {}, needs.filter(d => !d.blind_only).map(d => el('div', {'data-i': d.from}, el('b', {}, d.kind), ` on ${snap.number.get(d.from)}`, d.value !== null ? [' by ', el('code', {}, snap.values.get(d.value)?.name)] : '', muted(`  latency ${d.latency}${d.distance ? `, ${plural(d.distance, 'iteration')} before` : ''}`)))),
            needs.some(d => d.blind_only) ? [el('dt', {}, 'not'), el('dd', {}, needs.filter(d => d.blind_only).map(d => el('div', {'data-i': d.from}, el('b', {}, d.kind), ` on ${snap.number.get(d.from)}`, d.value !== null ? [' by ', el('code', {}, snap.values.get(d.value)?.name)] : '', muted('  only a blind analysis sees it'))))] : '') : el('p', {class: 'note'}, 'Select an operation to see what it waits for.'))),
        el('div', {class: 'sect last'}, el('div', {class: 'head'}, el('h2', {}, 'Longest chain')), el('div', {class: 'body'}, schedule.chain.map(id => el('div', {'data-i': id}, muted(`${snap.number.get(id) ?? ''}  `), line(id))))));
  }
}
