// 4 Steps: an algorithm event by event. One event is one sentence, its place in the structure, and what is
// left.
import type {App, View} from '../app';
import {code} from '../code';
import type {BlockId, InstId, PlacementGraph, Trace, ValueId} from '../data';
import {el, kbd, muted, plural, segments, svg, type Kid, RowList} from '../dom';
import {sideOpen} from '../keys';
import {elbow, laneWords, strip} from '../lanes';
import {textLines, type Snap} from '../model';
import {rail} from './flow';
import {LiveView} from './live';

const KINDS: [string, string, (t: Trace) => boolean][] = [
  ['phi', 'phi placement', t => t.kind === 'phi-placement'],
  ['rename', 'renaming', t => t.kind === 'renaming'],
  ['psi', 'psi-normalize, psi-web', t => t.kind === 'psi-normalize' || t.kind === 'psi-web'],
  ['webs', 'coalescing', t => t.kind === 'coalescing']
];

interface Scene {
  snap: Snap;
  name: (id: ValueId|null) => string;
  block: (id: BlockId) => string;
  number: (id: InstId|null) => number | string
}

export class StepsView implements View {
  noStrip = true;
  private box: HTMLElement|null = null;
  private timer = 0;
  private readonly live = new LiveView();
  private list: RowList|null = null;

  hide(): void {
    this.stop();
  }
  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
  }

  draw(app: App, box: HTMLElement): void {
    this.box ??= el('div', {class: 'work'});
    if (box.firstChild !== this.box) box.replaceChildren(this.box);
    const traces = app.func.data.traces;
    if (!traces.length) {
      this.box.style.gridTemplateColumns = '1fr';
      this.box.replaceChildren(
          el('div', {class: 'empty'}, el('b', {}, 'No algorithm to step through'),
             el('p', {}, 'None of the passes that ran on ', el('code', {}, '$' + app.func.name),
                ' places phis, renames, brings psis into normal form, or joins webs.'),
             el('p', {class: 'mute'}, 'construct, psi-normalize, psi-web and destruct do.')));
      return;
    }
    const trace = traces[Math.min(app.state.trace, traces.length - 1)];
    const now = Math.max(0, Math.min(app.state.event, trace.events.length - 1));
    const snap = app.func.at(Math.max(0, trace.step - 1));
    const scene: Scene = {
      snap,
      name: id => id === null ?
          '' :
          snap.values.get(id)?.name ?? app.func.at(trace.step).values.get(id)?.name ?? `value ${id}`,
      block: id => snap.blocks.get(id)?.name ?? `block ${id}`,
      number: id => id === null ? '' : snap.number.get(id) ?? app.func.at(trace.step).number.get(id) ?? ''
    };
    const kind = KINDS.find(k => k[2](trace))!;
    const side = sideOpen(app);
    this.box.style.gridTemplateColumns =
        `${innerWidth < 1000 ? '34px' : '296px'} minmax(0,1fr) ${side ? '420px' : '34px'}`;
    const kinds = KINDS.filter(k => traces.some(k[2]));
    const middle = el(
        'section', {class: 'canvas steps-canvas', 'aria-label': 'Structure'},
        el('div', {class: 'steps-head'}, el('span', {class: 'b'}, this.title(trace)),
           el('span', {class: 'mute'}, ` step ${trace.step}, ${app.func.data.steps[trace.step]?.pass ?? ''}`),
           el('span', {class: 'push'},
              segments(
                  'Algorithm', kinds.map(([id, title]) => [id, title] as [string, string]), kind[0],
                  id => app.set({trace: traces.findIndex(KINDS.find(k => k[0] === id)![2]), event: 0})))),
        el('div', {class: 'structure'}, this.structure(app, scene, trace, now)),
        trace.events.length ?
            el('div', {class: 'say', role: 'status'}, this.sentence(app, scene, trace, now)) :
            '',
        this.controls(app, trace, now));
    middle.addEventListener('click', event => app.click(event));
    this.box.replaceChildren(
        this.left(app, scene, trace, kind, now), middle,
        side ? this.text(app, scene, trace, now) : rail('i', 'IR', true, () => app.set({side: true})));
    for (const chart of middle.querySelectorAll('.chart')) chart.dispatchEvent(new Event('paint'));
    this.box.querySelector('.trace [aria-current]')?.scrollIntoView({block: 'nearest'});
  }

  private title(trace: Trace): string {
    if (trace.kind === 'phi-placement')
      return {
        adt: 'Augmented dominator tree',
        'dj-graph': 'DJ-graph',
        cytron: 'Dominance frontiers',
        'cytron-ferrante': 'Dominator tree and J-edges'
      }[trace.algorithm];
    if (trace.kind === 'renaming') return 'Dominator tree';
    return trace.kind === 'coalescing' ? 'Webs' : 'Live ranges by web';
  }

  private left(app: App, scene: Scene, trace: Trace, kind: typeof KINDS[number], now: number): HTMLElement {
    const traces = app.func.data.traces;
    const go = (i: number) => {
      if (i >= 0) app.set({trace: i, event: 0});
    };
    const choices: Kid[] = [];
    if (trace.kind === 'phi-placement') {
      const algorithms = [...new Set(
          traces.flatMap(t => t.kind === 'phi-placement' && t.step === trace.step ? [t.algorithm] : []))];
      choices.push(segments(
          'Method', algorithms.map(a => [a, a] as [string, string]), trace.algorithm,
          a => go(traces.findIndex(
              t => t.kind === 'phi-placement' && t.step === trace.step && t.algorithm === a &&
                  t.variable === trace.variable))));
    }
    if (trace.kind === 'phi-placement' || trace.kind === 'renaming') {
      const same = traces.map((t, i) => ({t, i}))
                       .filter(
                           ({t}) => t.kind === trace.kind && t.step === trace.step &&
                               (t.kind !== 'phi-placement' || t.algorithm === (trace as any).algorithm));
      choices.push(
          el('div', {class: 'chips'},
             same.map(
                 ({t, i}) =>
                     el('button', {
                       type: 'button',
                       class: 'chip' + (t === trace ? ' on' : ''),
                       'aria-pressed': t === trace ? 'true' : 'false',
                       'data-k': `trace${i}`,
                       on: {click: () => go(i)}
                     },
                        scene.name((t as any).variable)))));
    } else {
      const same = traces.map((t, i) => ({t, i})).filter(({t}) => kind[2](t));
      if (same.length > 1)
        choices.push(
            el('div', {class: 'chips'},
               same.map(
                   ({t, i}) =>
                       el('button', {
                         type: 'button',
                         class: 'chip' + (t === trace ? ' on' : ''),
                         'aria-pressed': t === trace ? 'true' : 'false',
                         'data-k': `trace${i}`,
                         on: {click: () => go(i)}
                       },
                          `${t.kind}, step ${t.step}`))));
    }
    return el(
        'section', {class: 'pane steps-left', 'aria-label': 'Events'},
        el('div', {class: 'head'}, el('h2', {}, 'Steps'),
           el('span', {class: 'end m'},
              'variable' in trace ? scene.name(trace.variable) : plural(trace.events.length, 'event'))),
        choices.length ? el('div', {class: 'choices'}, choices) : '',
        el('ol', {class: 'trace', tabindex: 0, 'aria-label': 'Events'},
           trace.events.slice(0, 1000).map(
               (_, i) =>
                   el('li', {
                     class: i < now ? 'done' :
                         i === now  ? 'now' :
                                      'next',
                     'aria-current': i === now ? 'step' : undefined,
                     on: {click: () => app.set({event: i})}
                   },
                      el('span', {class: 'no'}, i + 1), el('div', {}, this.short(scene, trace, i))))),
        el('div', {class: 'steps-end'}, this.end(scene, trace)));
  }

  private short(scene: Scene, trace: Trace, i: number): Kid {
    const m = (text: string) => el('span', {class: 'm'}, text);
    switch (trace.kind) {
      case 'phi-placement': {
        const e = trace.events[i];
        return el(
            'div', {class: 'line'}, m(scene.block(e.take)),
            el('span', {class: 'push'},
               e.joins.length ? m('φ ' + e.joins.map(scene.block).join(' ')) : muted('no join')));
      }
      case 'renaming': {
        const e = trace.events[i];
        return el(
            'div', {class: 'line'}, muted(e.event), m('  ' + scene.block(e.block)),
            el('span', {class: 'push m'}, e.name ?? ''));
      }
      case 'coalescing': {
        const e = trace.events[i];
        return el(
            'div', {class: 'line'}, m(`${scene.name(e.a)} ${scene.name(e.b)}`),
            el('span', {class: 'push'}, e.verdict === 'one' ? 'one web' : muted('interferes')));
      }
      default: {
        const e = trace.events[i];
        return el(
            'div', {class: 'line'}, m(`${scene.number(e.psi)}, argument ${e.argument + 1}`),
            el('span', {class: 'push'}, e.copy ? 'copy' : muted(e.verdict)));
      }
    }
  }

  private end(scene: Scene, trace: Trace): Kid {
    if (trace.kind === 'phi-placement')
      return [
        'In the end: ',
        trace.phis.length ?
            [
              'phis in ', el('code', {}, trace.phis.map(scene.block).join(' ')),
              trace.of_use.length === trace.phis.length ?
                  '; all of use.' :
                  trace.of_use.length ?
                  ['; of use: ', el('code', {}, trace.of_use.map(scene.block).join(' ')), '.'] :
                  '; none of use.'
            ] :
            'no phi.'
      ];
    if (trace.kind === 'renaming')
      return [
        'Names that ', el('code', {}, scene.name(trace.variable)), ' became: ',
        el('code', {}, [...new Set(trace.events.map(e => e.name).filter(Boolean))].join(' ') || 'none'), '.'
      ];
    if (trace.kind === 'coalescing')
      return `${plural(trace.events.filter(e => e.verdict === 'one').length, 'pair')} became one, ${
          trace.events.filter(e => e.verdict !== 'one').length} did not.`;
    return plural(trace.events.filter(e => e.copy).length, 'copy', 'copies');
  }

  private sentence(app: App, scene: Scene, trace: Trace, i: number): Kid {
    const badge = (text: string, cls = '') => el('span', {class: `badge ${cls}`}, text);
    switch (trace.kind) {
      case 'phi-placement': {
        const e = trace.events[i], graph = this.graph(app, trace),
              level = (b: BlockId) => graph?.blocks.find(x => x.id === b)?.level;
        const node = graph?.blocks.find(x => x.id === e.take);
        const where = trace.algorithm === 'cytron' ?
            node?.frontier.length ? ['Its frontier: ', node.frontier.map(f => badge(scene.block(f))), '. '] :
                                    'Its frontier is empty. ' :
            '';
        return [
          el('div', {}, 'Taken: ', badge(scene.block(e.take)),
             level(e.take) !== undefined ? `, level ${level(e.take)}. ` : '. ', where,
             e.joins.length ?
                 [
                   e.joins.map(j => badge(scene.block(j), 'new')), e.joins.length > 1 ? ' are ' : ' is ',
                   el('b', {}, e.joins.length > 1 ? 'joins' : 'a join'),
                   ': it gets a phi, and is taken in its turn, as a phi is a definition.'
                 ] :
                 'No new join is found from it.'),
          el('div', {class: 'bank'}, el('b', {}, 'Left to take'),
             e.left.length ? e.left.map(b => badge(scene.block(b), e.joins.includes(b) ? 'new' : 'def')) :
                             muted('nothing: done'))
        ];
      }
      case 'renaming': {
        const e = trace.events[i];
        const words: Record<string, Kid> = {
          enter: ['Into ', badge(scene.block(e.block)), '.'],
          leave: ['Out of ', badge(scene.block(e.block)), ': its names are taken from the stack.'],
          phi: ['The phi of ', badge(scene.block(e.block)), ' defines ', badge(e.name ?? '', 'new'), '.'],
          define: ['Line ', scene.number(e.id), ' defines ', badge(e.name ?? '', 'new'), '.'],
          read: [
            'Line ', scene.number(e.id), ' reads ', e.name ? badge(e.name) : 'what is not defined',
            ', the name on top.'
          ],
          argument: [
            'A phi after ', badge(scene.block(e.block)), ' takes ',
            e.name ? badge(e.name) : 'what is not defined', '.'
          ]
        };
        return [
          el('div', {}, words[e.event]),
          el('div', {class: 'bank'}, el('b', {}, 'Stack'),
             e.stack.length ? e.stack.map((n, k) => badge(n, k === e.stack.length - 1 ? 'top' : 'def')) :
                              muted('empty'))
        ];
      }
      case 'coalescing': {
        const e = trace.events[i];
        return el(
            'div', {}, badge(scene.name(e.a)), ' and ', badge(scene.name(e.b)),
            `, weight ${Number(e.weight.toPrecision(3))}: `,
            e.verdict === 'one' ? ['their webs do not interfere and become ', el('b', {}, 'one'), '.'] : [
              'they stay apart',
              e.with ?
                  [': ', badge(scene.name(e.with[0])), ' and ', badge(scene.name(e.with[1])), ' interfere'] :
                  '',
              '. ', el('b', {}, 'A copy'), ' stays.'
            ]);
      }
      default: {
        const e = trace.events[i], block = scene.snap.blockOf.get(e.psi);
        const verdict = {
          stays: 'stays as it is',
          'guard changed': 'gets another guard',
          moved: 'changes its place',
          copied: 'is copied',
          changed: 'is changed'
        }[e.verdict] ??
            e.verdict;
        return el(
            'div', {}, el('b', {}, trace.kind), ', line ', scene.number(e.psi), ': argument ', e.argument + 1,
            ' ', verdict, e.with !== null ? [', as it interferes with ', badge(scene.name(e.with))] : '',
            e.at !== null ? [' at line ', scene.number(e.at)] : '',
            e.lanes && /[1?]/.test(e.lanes) ?
                [', in ', strip(e.lanes, scene.snap.slots(block)), ' ', laneWords(e.lanes)] :
                '',
            '. ', e.copy ? [el('b', {}, 'A copy: '), badge(e.copy, 'new')] : '');
      }
    }
  }

  private graph(app: App, trace: Trace): PlacementGraph|undefined {
    return app.func.data.graphs.find(g => g.step === trace.step) ?? app.func.data.graphs[0];
  }

  private structure(app: App, scene: Scene, trace: Trace, now: number): Kid {
    if (trace.kind === 'phi-placement' || trace.kind === 'renaming') {
      const graph = this.graph(app, trace);
      if (!graph) return el('p', {class: 'note'}, 'The dominator tree of this function is not in the page.');
      return this.tree(scene, graph, trace, now);
    }
    const event = trace.events[now];
    if (!event) return el('p', {class: 'note'}, 'There was nothing to do.');
    const value = trace.kind === 'coalescing' ?
        (event as any).a :
        (event as any).with ?? scene.snap.insts.get((event as any).psi)?.writes[0]?.[0] ?? null;
    return this.live.sheet(
        app, 'Before the step', scene.snap, `steps${trace.step}`,
        {value, inst: trace.kind === 'coalescing' ? null : (event as any).at ?? (event as any).psi});
  }

  // The dominator tree by levels; J-edges dashed.
  private tree(scene: Scene, graph: PlacementGraph, trace: Trace, now: number): SVGElement {
    const band = 104, children = new Map<BlockId|null, BlockId[]>();
    const blocks = new Map(graph.blocks.map(b => [b.id, b]));
    for (const b of graph.blocks) children.set(b.dominator, [...(children.get(b.dominator) || []), b.id]);
    const x = new Map<BlockId, number>();
    let leaf = 0;
    const order: BlockId[] = [];
    const stack = [...(children.get(null) || [])].reverse();
    while (stack.length) {
      const b = stack.pop()!;
      order.push(b);
      stack.push(...[...(children.get(b) || [])].reverse());
    }
    // As wide as there is room, within reason.
    const leaves = order.filter(b => !(children.get(b) || []).length).length,
          step = Math.max(104, Math.min(132, (innerWidth - 830) / Math.max(1, leaves)));
    for (const b of [...order])
      if (!(children.get(b) || []).length) x.set(b, 70 + leaf++ * step);
    for (const b of [...order].reverse()) {
      const kids = children.get(b) || [];
      if (kids.length) x.set(b, (x.get(kids[0])! + x.get(kids[kids.length - 1])!) / 2);
    }
    const levels = Math.max(...graph.blocks.map(b => b.level)) + 1;
    const width = Math.max(560, 70 + leaf * step), y = (b: BlockId) => 20 + blocks.get(b)!.level * band + 34;
    const picture = svg('svg', {
      class: 'tree',
      width,
      height: levels * band + 40,
      role: 'img',
      'aria-label': `Dominator tree of ${graph.blocks.length} blocks`
    });
    for (let l = 0; l < levels; ++l)
      picture.append(
          svg('rect', {x: 4, y: 18 + l * band, width: width - 8, height: band - 10, rx: 8, class: 'band'}),
          svg('text', {x: width - 18, y: 36 + l * band, 'text-anchor': 'end', class: 'lv'}, `level ${l}`));
    for (const b of graph.blocks)
      if (b.dominator !== null && x.has(b.dominator))
        picture.append(svg('path', {
          d: elbow([
            [x.get(b.dominator)!, y(b.dominator) + 22], [x.get(b.dominator)!, y(b.dominator) + band / 2 - 4],
            [x.get(b.id)!, y(b.dominator) + band / 2 - 4], [x.get(b.id)!, y(b.id) - 22]
          ]),
          class: 'tree-edge'
        }));
    const placement = trace.kind === 'phi-placement' ? trace : null;
    const current = placement     ? placement.events[now]?.take :
        trace.kind === 'renaming' ? trace.events[now]?.block :
                                    undefined;
    const joins = new Set(placement?.events[now]?.joins || []),
          taken = new Set(placement?.events.slice(0, now).map(e => e.take) || []),
          phis = new Set(placement?.events.slice(0, now + 1).flatMap(e => e.joins) || []);
    const below = (a: BlockId, b: BlockId) => {
      for (let at: BlockId|null|undefined = b; at !== null && at !== undefined;
           at = blocks.get(at)?.dominator)
        if (at === a) return true;
      return false;
    };
    let lane = 0;
    for (const b of graph.blocks) {
      for (const j of b.joins) {
        if (!x.has(b.id) || !x.has(j)) continue;
        const on = joins.has(j) && current !== undefined && below(current, b.id);
        const right = x.get(b.id)! >= x.get(j)!, o = lane++ % 4 * 5;
        const sideX = x.get(j)! + (right ? 58 + o : -58 - o),
              end: [number, number] = [x.get(j)! + (right ? 44 : -44), y(j) + (right ? 5 : -5) + o / 2 - 4];
        const down = y(b.id) + 32 + o;
        const same = blocks.get(b.id)!.level === blocks.get(j)!.level &&
            Math.abs(x.get(b.id)! - x.get(j)!) <= step + 1;
        const points: [number, number][] =
            same ? [[x.get(b.id)! + (right ? -44 : 44), y(j)], [end[0], y(j)]] : [
              [x.get(b.id)! + (right ? -12 : 12), y(b.id) + 22], [x.get(b.id)! + (right ? -12 : 12), down],
              [sideX, down], [sideX, end[1]], end
            ];
        const tip = same ? [end[0], y(j)] : end;
        picture.append(svg('path', {d: elbow(points), class: on ? 'j on' : 'j'}), svg('path', {
                         d: right ? `M${tip[0]},${tip[1]}l7,-4.5v9Z` : `M${tip[0]},${tip[1]}l-7,-4.5v9Z`,
                         class: on ? 'tip on' : 'tip'
                       }));
      }
    }
    for (const b of graph.blocks) {
      if (!x.has(b.id)) continue;
      const cx = x.get(b.id)!, cy = y(b.id), name = scene.block(b.id);
      const sub = placement ? phis.has(b.id) ? `φ ${scene.name(placement.variable)}` :
              placement.definitions.includes(b.id) ? `${scene.name(placement.variable)} =` :
                                                     '' :
                                                     '';
      picture.append(
          svg('g', {
            class: 'node' +
                (b.id === current    ? ' now' :
                     joins.has(b.id) ? ' fresh' :
                     taken.has(b.id) ? ' taken' :
                                       '')
          },
              svg('title', {}, name), svg('rect', {x: cx - 43, y: cy - 22, width: 86, height: 44, rx: 7}),
              svg('text', {x: cx, y: sub ? cy - 2 : cy + 4, 'text-anchor': 'middle'},
                  name.length > 11 ? name.slice(0, 10) + '…' : name),
              svg('text', {x: cx, y: cy + 13, 'text-anchor': 'middle', class: 'sub'},
                  sub.length > 12 ? sub.slice(0, 11) + '…' : sub),
              taken.has(b.id) && b.id !== current ? svg('text', {x: cx + 30, y: cy - 9, class: 'sub'}, '✓') :
                                                    null));
    }
    return picture;
  }

  private controls(app: App, trace: Trace, now: number): HTMLElement {
    const total = trace.events.length;
    const button = (label: string, sign: string, to: number, cls = '') =>
        el('button', {
          type: 'button',
          class: 'round ' + cls,
          'aria-label': label,
          title: label,
          'data-k': label,
          disabled: to < 0 || to >= total || to === now,
          on: {click: () => app.set({event: to})}
        },
           sign);
    return el(
        'div', {class: 'ctrl'}, button('First event', '⇤', 0), button('Event before', '‹', now - 1),
        el('button', {
          type: 'button',
          class: 'round play',
          'aria-label': this.timer ? 'Stop' : 'Play',
          'data-k': 'play',
          on: {click: () => this.play(app)}
        },
           this.timer ? '❚❚' : '▶'),
        button('Next event', '›', now + 1), button('Last event', '⇥', total - 1),
        el('div', {class: 'dots', 'aria-hidden': 'true'},
           Array.from(
               {length: Math.min(total, 60)},
               (_, i) => el('span', {
                 class: i < Math.floor(now * Math.min(total, 60) / total) ? 'p' :
                     i === Math.floor(now * Math.min(total, 60) / total)  ? 'n' :
                                                                            ''
               }))),
        muted(total ? `step ${now + 1} of ${total}` : 'nothing to do'), kbd(','), kbd('.'), kbd('space'));
  }
  private play(app: App): void {
    if (this.timer) {
      this.stop();
      app.render();
      return;
    }
    this.timer = setInterval(() => {
                   const trace = app.func.data.traces[app.state.trace];
                   if (!trace || app.state.event + 1 >= trace.events.length) {
                     this.stop();
                     app.render();
                   } else
                     app.set({event: app.state.event + 1});
                 }, 900) as unknown as number;
    app.render();
  }

  key(app: App, event: KeyboardEvent): boolean {
    const trace = app.func.data.traces[app.state.trace];
    if (!trace) return false;
    const move = event.key === '.' || event.key === 'ArrowRight' ? 1 :
        event.key === ',' || event.key === 'ArrowLeft'           ? -1 :
                                                                   0;
    if (move) {
      app.set({event: Math.max(0, Math.min(trace.events.length - 1, app.state.event + move))});
      return true;
    }
    if (event.key === ' ' && !(event.target as HTMLElement).closest('button')) {
      this.play(app);
      return true;
    }
    return false;
  }

  // The IR before the step, with what the event is about.
  private text(app: App, scene: Scene, trace: Trace, now: number): HTMLElement {
    const lines = textLines(scene.snap, null, []);
    this.list = new RowList(19, {class: 'txt', tabindex: 0, role: 'region', 'aria-label': 'IR'});
    const variable = 'variable' in trace ? trace.variable : null;
    const event = trace.events[now] as any;
    const at: InstId|null = event?.id ?? event?.at ?? event?.psi ?? null;
    const phis = trace.kind === 'phi-placement' ?
        new Map(trace.events.slice(0, now + 1)
                    .flatMap((e, i) => e.joins.map(j => [j, i === now] as [BlockId, boolean]))) :
        new Map<BlockId, boolean>();
    const shown: {text: string; line: (typeof lines)[number] | null; fresh: boolean}[] = [];
    for (const line of lines) {
      shown.push({text: line.text, line, fresh: false});
      if (line.kind === 'label' && phis.has(line.block!)) {
        // A phi takes one value from each predecessor.
        const before =
            scene.snap.data.order.filter(b => scene.snap.blocks.get(b)!.to.some(e => e.block === line.block));
        const name = scene.name(variable);
        shown.push({
          text: `  ${name} = phi ${before.map(b => `[${scene.block(b)}: ${name}]`).join(', ')}`,
          line: null,
          fresh: phis.get(line.block!)!
        });
      }
    }
    this.list.show(shown.length, i => {
      const {text, line, fresh} = shown[i];
      return el(
          'div', {
            class: 'ln' +
                (line      ? '' :
                     fresh ? ' new' :
                             ' made') +
                (line?.inst !== undefined && line.inst === at ? ' here' : ''),
            'data-i': line?.inst
          },
          el('span', {class: 'no'}, line?.inst !== undefined ? scene.snap.number.get(line.inst) : ''),
          el('span', {class: 'sg'}, line ? '' : 'φ'),
          code(
              text,
              {snap: scene.snap, block: line?.block, inst: line?.inst, value: variable ?? app.state.value}));
    });
    const index = shown.findIndex(s => s.fresh || s.line?.inst !== undefined && s.line.inst === at);
    const list = this.list;
    if (index >= 0) requestAnimationFrame(() => list.reveal(index));
    return el(
        'aside', {class: 'pane', 'aria-label': 'IR'},
        el('div', {class: 'head'}, el('h2', {}, 'IR'),
           el('span', {class: 'sub'},
              trace.kind === 'phi-placement' ? 'phis as they are found' : 'before the step')),
        this.list.box);
  }
}
