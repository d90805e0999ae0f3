// Predicates of the region, and the selected value: what psic says of both.
import type {Answer, App} from './app';
import {code} from './code';
import type {BlockId, InstId, PredicateSet, Region, Value} from './data';
import {el, kbd, muted, percent, segments, svg, type Kid} from './dom';
import {cell, full, laneWords, slotOf, strip} from './lanes';
import type {Snap} from './model';

export const setName = (set: PredicateSet|undefined) =>
    set ? set.names[0] ?? (set.term || '(unnamed)') : '(not known)';
const PLACES = 24;

export class Inspector {
  readonly box = el('aside', {class: 'pane inspector', 'aria-label': 'Details'});
  private asked = new Map<string, Answer|null>();

  constructor(private readonly app: App) {
    this.box.addEventListener('click', event => app.click(event));
  }

  draw(snap = this.app.snap): void {
    const region = this.region(snap);
    this.box.replaceChildren(this.predicates(snap, region), this.facts(snap));
  }

  // The region of the selection, or the first that has lanes.
  region(snap: Snap): Region|null {
    const {state} = this.app;
    if (state.sets.length) {
      const region = snap.regions.get(state.sets[0].entry);
      if (region) return region;
    }
    if (state.inst !== null) {
      const region = snap.regionOf(snap.blockOf.get(state.inst));
      if (region) return region;
    }
    for (const id of snap.data.order) {
      const region = snap.regionOf(id);
      if (region && region.lanes.length > 1) return region;
    }
    return null;
  }

  private predicates(snap: Snap, region: Region|null): HTMLElement {
    const {app} = this;
    const head = el(
        'div', {class: 'head'}, el('h2', {}, 'Predicates'),
        region ?
            el('span', {class: 'sub'}, 'region ', el('code', {}, snap.blocks.get(region.entry)?.name ?? '')) :
            '',
        el('span', {class: 'end'},
           region ? segments(
                        'Predicates as', [['lanes', 'lanes'], ['graph', 'graph']],
                        app.state.graph ? 'graph' : 'lanes', id => app.set({graph: id === 'graph'})) :
                    '',
           el('button', {
             type: 'button',
             class: 'key-button',
             'aria-label': 'i: fold the details',
             'data-k': 'fold-side',
             on: {click: () => app.set({side: false})}
           },
              kbd('i'))));
    if (!region)
      return el(
          'div', {class: 'sect'}, head,
          el('div', {class: 'body'},
             el('p', {class: 'note'},
                snap.data.form === 'plain' ?
                    'In plain form a region is one block; no guard here reads a predicate, so there are no lanes.' :
                    'No guard, branch or psi reads a predicate here, so there is one execution and no lanes.')));
    return el(
        'div', {class: 'sect'}, head,
        el('div', {class: 'body'}, laneTable(app, snap, region),
           region.exact ?
               '' :
               el('p', {class: 'note'},
                  'Some relations are not known: half a cell means part of the lane, or not known.'),
           app.state.table     ? setTable(app, snap, region) :
               app.state.graph ? partitionGraph(app, region) :
                                 partitionChart(app, region),
           this.partitions(snap, region), this.proof(snap, region)));
  }

  private partitions(snap: Snap, region: Region): Kid {
    if (!region.partitions.length) return '';
    const name = (id: number) => setName(region.sets.find(set => set.id === id));
    const shown = region.partitions.slice(0, 12);
    return el(
        'div', {class: 'proof two'},
        shown.map(
            ([whole, ...parts]) =>
                el('div', {},
                   code(
                       `${whole === 1 ? 'true' : name(whole)} = ${parts.map(name).join(' | ')}`,
                       {snap, block: region.entry, value: this.app.state.value}))),
        region.partitions.length > shown.length ?
            muted(`and ${region.partitions.length - shown.length} more`) :
            '');
  }

  private proof(snap: Snap, region: Region): Kid {
    const chosen = this.app.state.sets.filter(s => s.entry === region.entry)
                       .map(s => region.sets.find(set => set.id === s.set))
                       .filter((s): s is PredicateSet => !!s);
    if (!chosen.length) return '';
    if (chosen.length === 1) {
      const [set] = chosen;
      const apart = region.sets.filter(
          other =>
              other.id !== set.id && [...set.lanes].every((bit, i) => bit === '0' || other.lanes[i] === '0'));
      return el(
          'div', {class: 'proof rule'},
          el('div', {}, el('b', {}, setName(set)),
             set.names.length > 1 ? muted('  also ' + set.names.slice(1, 8).join(', ')) : '', '\n',
             muted('holds where  '), code(set.term || 'true', {snap, block: region.entry})),
          el('div', {}, muted('no lane in common with  '),
             apart.length ?
                 code(apart.slice(0, PLACES).map(setName).join(', '), {snap, block: region.entry}) :
                 'none'),
          muted('Choose a second one, with Shift in the code, for a proof.'));
    }
    const [a, b] = chosen;
    return el(
        'div', {class: 'proof rule'},
        (['disjoint', 'subset'] as const).map(kind => this.answer(region, kind, a, b)));
  }

  private answer(region: Region, kind: 'disjoint'|'subset', a: PredicateSet, b: PredicateSet): HTMLElement {
    const question = `${kind}(${setName(a)}, ${setName(b)})`;
    const known = region.proofs?.find(
        p => p.kind === kind &&
            (p.sets[0] === a.id && p.sets[1] === b.id ||
             kind === 'disjoint' && p.sets[0] === b.id && p.sets[1] === a.id));
    if (known) return answerBox(question, {answer: 'yes', engine: known.engine, steps: known.steps});
    const {app} = this;
    if (app.engine) {
      const key = `${app.state.func}.${app.step}.${region.entry}.${question}`;
      const answer = this.asked.get(key);
      if (answer) return answerBox(question, answer);
      if (answer === undefined) {
        this.asked.set(key, null);
        const done = (result: Answer) => {
          this.asked.set(key, result);
          app.render();
        };
        app.engine
            .query({
              function: app.func.name,
              step: app.step,
              block: app.snap.blocks.get(region.entry)?.name ?? '',
              question
            })
            .then(done, error => done({error: String(error)}));
      }
      return el('div', {class: 'answer'}, el('b', {}, question), ': …');
    }
    if (!region.proofs)
      return el(
          'div', {class: 'answer'}, el('b', {}, question), ': ',
          muted(
              'not in this page, which holds no proofs of large regions; psic explore --serve and the playground answer it'));
    // Proofs of small regions are all here: without one, it is not so, or not known.
    const shared = [...a.lanes].findIndex(
        (bit, i) =>
            kind === 'disjoint' ? bit === '1' && b.lanes[i] === '1' : bit === '1' && b.lanes[i] === '0');
    return el(
        'div', {class: 'answer'}, el('b', {}, question),
        shared >= 0 ? `: no, both in lane ${shared + 1}`.replace(
                          ', both in', kind === 'disjoint' ? ', both hold in' : ', not in') :
                      ': not known');
  }

  // Of another program.
  forget(): void {
    this.asked.clear();
  }

  private facts(snap: Snap): HTMLElement {
    const {app} = this, {state} = app;
    const value = state.value === null ? undefined : snap.values.get(state.value);
    const inst = state.inst === null ? undefined : snap.insts.get(state.inst);
    if (!value && !inst) {
      return el(
          'div', {class: 'sect last'},
          el('div', {class: 'head'}, el('h2', {}, 'Value'), el('span', {class: 'sub'}, 'none selected')),
          el('div', {class: 'body'},
             el('p', {class: 'note'}, 'Click a register, or go down the instructions with ', kbd('↓'), '.'),
             counters(app)));
    }
    const rows: Kid[] = [];
    const fact = (name: string, ...body: Kid[]) => rows.push(el('dt', {}, name), el('dd', {}, ...body));
    const at = (id: InstId) =>
        muted('  ', snap.blocks.get(snap.blockOf.get(id) ?? -1)?.name ?? '', ' ', snap.number.get(id) ?? '');
    const line = (id: InstId) => {
      const block = snap.blockOf.get(id);
      return el(
          'div', {class: 'use-line', 'data-i': id},
          code(snap.insts.get(id)?.text ?? '', {snap, block, inst: id, value: state.value, limit: 44}),
          at(id));
    };
    const names = (ids: readonly number[], block: BlockId|undefined) => code(
        ids.slice(0, PLACES).map(id => snap.values.get(id)?.name ?? '').join(' ') +
            (ids.length > PLACES ? ` and ${ids.length - PLACES} more` : ''),
        {snap, block, value: state.value});
    const definition = value?.definitions[0];
    const block = definition !== undefined ? snap.blockOf.get(definition) : snap.data.order[0];
    const slots = snap.slots(block);
    if (value) {
      if (value.definitions.length)
        fact('defined', value.definitions.slice(0, PLACES).map(line));
      else
        fact('defined', value.parameter ? 'parameter' : 'nowhere');
      if (snap.data.form !== 'plain' && value.domain) {
        const region = snap.regionOf(block),
              same = region?.sets.find(set => set.lanes === value.domain && set.names.length);
        fact(
            'domain', strip(value.domain, slots), ' ',
            same ? code(same.names.join(' = '), {snap, block}) :
                   el('span', {class: 'dim'}, laneWords(value.domain)));
      }
      fact(
          'uses', value.uses.length ? value.uses.slice(0, PLACES).map(line) : 'none',
          value.uses.length > PLACES ? muted(`and ${value.uses.length - PLACES} more`) : '');
      const web = snap.webOf(value), becomes = app.func.becomes(app.step, value.id);
      if (snap.data.form !== 'plain' || web.length > 1)
        fact(
            'web', web.length > 1 ? names(web.map(v => v.id), block) : 'alone',
            becomes ? muted('  becomes ', el('code', {}, becomes)) : '');
      fact('live', liveWords(snap, value));
      const partners = snap.partners(value.id, false);
      fact(
          'interferes',
          partners === null   ? 'not known: too large' :
              partners.length ? names(partners, block) :
                                'with none');
      const blind =
          snap.data.interference ? snap.partners(value.id, true)!.filter(id => !partners!.includes(id)) : [];
      if (blind.length) fact('blind also', names(blind, block));
      const copies =
          (snap.data.copies || []).filter(c => value.definitions.includes(c.id) || value.uses.includes(c.id));
      if (copies.length)
        fact('copies left', copies.map(copy => el('div', {}, line(copy.id), copyReason(snap, copy, slots))));
    }
    if (inst && !value)
      fact('text', code(inst.text, {snap, block: snap.blockOf.get(inst.id), inst: inst.id}), at(inst.id));
    if (inst) {
      const own = snap.blockOf.get(inst.id);
      if (inst.lanes && !full(inst.lanes))
        fact('executed', strip(inst.lanes, snap.slots(own)), ' ', muted(laneWords(inst.lanes)));
      if (inst.source) fact('source', el('code', {}, `${app.model.data.file}:${inst.source}`));
      const remarks = app.func.data.steps.flatMap(
          (step, i) =>
              i <= app.step ? step.remarks.filter(r => r.id === inst.id).map(r => ({r, step, i})) : []);
      if (remarks.length)
        fact(
            'remarks',
            remarks.slice(-6).map(
                ({r, step, i}) =>
                    el('div', {}, el('b', {class: 'm'}, step.pass), muted(` step ${i} `), r.message)));
    }
    return el(
        'div', {class: 'sect last'},
        el('div', {class: 'head'}, el('h2', {class: 'm b'}, value?.name ?? snap.number.get(inst!.id) ?? ''),
           el('span', {class: 'sub m'}, value?.type ?? ''),
           value ? el('span', {class: 'end'}, kbd('d'), 'definition', kbd('u'), 'next use') : ''),
        el('div', {class: 'body'}, el('dl', {class: 'facts'}, rows)));
  }
}

function answerBox(question: string, answer: Answer): HTMLElement {
  const failed = answer.error ?? answer.messages;
  if (failed !== undefined) return el('div', {class: 'answer'}, el('b', {}, question), ': ', failed.trim());
  return el(
      'div', {class: 'answer'}, el('b', {}, question),
      `: ${answer.answer}${answer.engine && answer.answer !== 'not known' ? `, by ${answer.engine}` : ''}`,
      answer.witness ? muted(`  ${answer.witness}`) : '',
      (answer.steps || [])
          .map(
              (step, i) =>
                  el('div', {}, `(${i + 1}) ${step.statement}`,
                     muted(`  ${step.reason}${
                         step.from.length ? ' ' + step.from.map(f => `(${f + 1})`).join(' ') : ''}`))));
}

export function copyReason(snap: Snap, copy: import('./data').Copy, slots: number[]): HTMLElement {
  const why = copy.because;
  return el(
      'div', {class: 'note'},
      why ?
          [
            el('code', {}, why.names[0]), ' and ', el('code', {}, why.names[1]), ' interfere',
            why.at !== null && snap.number.get(why.at) !== undefined ? ` at line ${snap.number.get(why.at)}` :
                                                                       '',
            why.lanes ? [' in ', strip(why.lanes, slots)] : '', '. '
          ] :
          'The reason is not known. ',
      copy.ends_interfere ? '' : [
        el('span', {class: 'flag'}, 'check'), ' Its two ends do not interfere now: the copy may be avoidable.'
      ]);
}

function counters(app: App): Kid {
  const list = Object.entries(app.func.data.steps[app.step].counters);
  if (!list.length) return '';
  return el(
      'table', {class: 't counters'}, el('caption', {}, `Counters of ${app.func.data.steps[app.step].pass}`),
      el('tbody', {},
         list.map(
             ([name, count]) =>
                 el('tr', {}, el('td', {class: 'dim'}, name), el('td', {class: 'num b'}, count)))));
}

// In the block of the definition row by row; elsewhere in words.
function liveWords(snap: Snap, value: Value): Kid {
  if (snap.data.omitted.includes('live') || !value.live) return 'not known: too large';
  if (!value.live.length) return 'nowhere: it is not read';
  const blocks = new Map<BlockId, typeof value.live>();
  for (const part of value.live) blocks.set(part[0], [...(blocks.get(part[0]) || []), part]);
  const own = value.definitions.length ? snap.blockOf.get(value.definitions[0])! : snap.data.order[0];
  const parts: Kid[] = [];
  const spans = blocks.get(own);
  const block = snap.blocks.get(own);
  if (spans && block && block.rows.length <= 400) {
    const slots = snap.slots(own);
    const row = new Map(block.rows.map((id, i) => [id, i]));
    const masks: string[] = block.rows.map(() => '');
    let first = Infinity, last = -1;
    for (const [, from, to, lanes] of spans) {
      const a = from === null ? 0 : row.get(from) ?? 0,
            b = to === null ? block.rows.length - 1 : row.get(to) ?? 0;
      for (let i = from === null ? 0 : a; i < (to === null ? b + 1 : b); ++i) masks[i] = lanes || '1';
      first = Math.min(first, a);
      last = Math.max(last, b);
    }
    const from = Math.max(0, first - 1),
          to = Math.min(block.rows.length, Math.max(last + 2, first + 3), from + 14);
    parts.push(el(
        'div', {class: 'mini', role: 'img', 'aria-label': 'live in the lanes after each row'},
        block.rows.slice(from, to).map(
            (id, k) => el(
                'div', {},
                el('div', {class: 'mini-bars'},
                   [...(masks[from + k] || '0'.repeat(slots.length || 1))].map(
                       (bit, i) => el('i', {
                         class: bit === '0' ? 'off' :
                             slots.length   ? `fill k${slotOf(slots, i)}` :
                                              'grey'
                       }))),
                el('span', {class: 'm mute'}, snap.number.get(id))))));
  }
  const others = [...blocks.keys()].filter(id => id !== own || !spans);
  if (others.length)
    parts.push(
        el('div', {class: 'dim'}, parts.length ? 'and in ' : 'in ',
           el('code', {}, others.slice(0, PLACES).map(id => snap.blocks.get(id)?.name).join(' ')),
           others.length > PLACES ? ` and ${others.length - PLACES} more` : ''));
  return parts;
}

// ---- Lanes and sets

function choose(app: App, region: Region, set: number): void {
  const old = app.state.sets.filter(s => s.entry === region.entry);
  const has = old.some(s => s.set === set);
  app.set({sets: has ? old.filter(s => s.set !== set) : [...old.slice(-1), {entry: region.entry, set}]});
}

function laneTable(app: App, snap: Snap, region: Region): HTMLElement {
  const slots = region.lanes.map(l => l.slot);
  return el(
      'table', {class: 't lane-table'},
      el('thead', {},
         el('tr', {}, el('th', {}, 'lane'), el('th', {}, 'name'), el('th', {}, 'holds where'),
            el('th', {class: 'num'}, 'weight'))),
      el('tbody', {}, region.lanes.map((lane, i) => {
        const set = region.sets.find(s => s.id === lane.set);
        const mask = '0'.repeat(i) + '1' +
            '0'.repeat(region.lanes.length - i - 1);
        return el(
            'tr', {}, el('td', {}, strip(mask, slots)),
            el('td', {class: 'm'},
               code(
                   set?.names.slice(0, 2).join(' ') ?? '',
                   {snap, block: region.entry, value: app.state.value})),
            el('td', {class: 'm dim term', title: lane.term},
               code(lane.term, {snap, block: region.entry, plain: true})),
            el('td', {class: 'num'}, percent(lane.weight)));
      })));
}

function setTable(app: App, snap: Snap, region: Region): HTMLElement {
  const slots = region.lanes.map(l => l.slot);
  return el(
      'table', {class: 't'},
      el('thead', {}, el('tr', {}, el('th', {}, 'set'), el('th', {}, 'lanes'), el('th', {}, 'names'))),
      el('tbody', {},
         region.sets.map(
             set =>
                 el('tr', {}, el('td', {class: 'm dim'}, set.term || 'true'),
                    el('td', {}, strip(set.lanes, slots), ' ', laneWords(set.lanes)),
                    el('td', {class: 'm'},
                       code(set.names.join(' '), {snap, block: region.entry, value: app.state.value}))))));
}

// Rows of bars: larger sets above, each as high as there is room over its lanes.
function partitionChart(app: App, region: Region): HTMLElement {
  const n = region.lanes.length, slots = region.lanes.map(l => l.slot);
  const width = innerWidth < 1400 ? 322 : 352, laneW = width / n, rowH = 27, top = 4;
  const count = (mask: string) => [...mask].filter(bit => bit !== '0').length;
  const sets =
      region.sets.filter(set => /[1?]/.test(set.lanes))
          .sort((a, b) => count(b.lanes) - count(a.lanes) || (a.lanes < b.lanes ? 1 : -1) || a.id - b.id);
  const shown = sets.slice(0, 40);
  const rows: boolean[][] = [];
  const chosen = new Set(app.state.sets.filter(s => s.entry === region.entry).map(s => s.set));
  const picture =
      svg('svg', {width, role: 'group', 'aria-label': 'Sets over their lanes', class: 'partitions'});
  const bars: SVGElement[] = [];
  for (const set of shown) {
    const first = set.lanes.search(/[1?]/), last = n - 1 - [...set.lanes].reverse().join('').search(/[1?]/);
    let row = 0;
    while (rows[row] && rows[row].slice(first, last + 1).some(Boolean)) ++row;
    rows[row] ??= new Array(n).fill(false);
    for (let i = first; i <= last; ++i) rows[row][i] = true;
    const x = first * laneW + 3, w = (last - first + 1) * laneW - 6, y = top + row * rowH;
    const name = set.id === 1 ? ['true', ...set.names.filter(s => s !== 'true')].join('  ') :
        set.names.length      ? set.names.join('  ') :
                                '(unnamed)';
    const room = Math.max(1, Math.floor(w / 7));
    const on = chosen.has(set.id);
    bars.push(
        svg('g', {
          class: 'set',
          tabindex: 0,
          role: 'button',
          'aria-pressed': on ? 'true' : 'false',
          'aria-label': `${name}, ${laneWords(set.lanes)}`,
          'data-k': `set-${set.id}`,
          on: {
            click: () => choose(app, region, set.id),
            keydown: (event: KeyboardEvent) => {
              if (event.key === 'Enter' || event.key === ' ') {
                choose(app, region, set.id);
                event.preventDefault();
                event.stopPropagation();
              }
            }
          }
        },
            svg('title', {}, `${name}: ${set.term || 'true'}, ${laneWords(set.lanes)}`), svg('rect', {
              x: x + 0.5,
              y: y + 0.5,
              width: Math.max(1, w - 1),
              height: 21,
              rx: 4,
              fill: 'var(--pane)',
              stroke: on ? 'var(--ink)' : 'var(--line-2)',
              'stroke-width': on ? 2 : 1,
              'stroke-dasharray': set.names.length || set.id === 1 ? undefined : '3 2'
            }),
            [...set.lanes].map(
                (bit, i) => cell(
                    bit, slotOf(slots, i), Math.max(x + 2, i * laneW + 4), y + 17,
                    Math.min(x + w - 2, (i + 1) * laneW - 4) - Math.max(x + 2, i * laneW + 4), 4)),
            svg('text', {x: x + w / 2, y: y + 13, 'text-anchor': 'middle', 'font-weight': on ? 700 : 400},
                name.length > room ? name.slice(0, Math.max(1, room - 1)) + '…' : name)));
  }
  const height = top + rows.length * rowH + 4;
  picture.setAttribute('height', String(height));
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  for (let i = 0; i <= n; ++i)
    picture.append(svg(
        'line',
        {x1: i * laneW, x2: i * laneW, y1: 0, y2: height, stroke: 'var(--line)', 'stroke-dasharray': '2 3'}));
  picture.append(...bars);
  return el(
      'div', {class: 'chart-box'}, picture,
      sets.length > shown.length ? muted(`and ${sets.length - shown.length} more sets`) : '');
}

// Nodes and edges, as the paper draws it: one dot for one partition.
function partitionGraph(app: App, region: Region): HTMLElement {
  const slots = region.lanes.map(l => l.slot), n = region.lanes.length;
  const used = new Set(region.partitions.flat());
  const sets = region.sets.filter(set => used.has(set.id)).slice(0, 60);
  if (!sets.length) return el('p', {class: 'note'}, 'No partition of the predicates is known here.');
  const level = new Map<number, number>(sets.map(s => [s.id, 0]));
  for (let round = 0, moved = true; moved && round < sets.length; ++round) {
    moved = false;
    for (const [whole, ...parts] of region.partitions)
      for (const part of parts)
        if ((level.get(part) ?? 0) <= (level.get(whole) ?? 0) && part !== whole) {
          level.set(part, (level.get(whole) ?? 0) + 1);
          moved = true;
        }
  }
  const centre = (set: PredicateSet) => {
    let sum = 0, count = 0;
    [...set.lanes].forEach((bit, i) => {
      if (bit !== '0') {
        sum += i + 0.5;
        ++count;
      }
    });
    return count ? sum / count / n : 0.5;
  };
  const levels: PredicateSet[][] = [];
  for (const set of sets) (levels[level.get(set.id)!] ??= []).push(set);
  const most = Math.max(...levels.filter(Boolean).map(l => l.length));
  const width = Math.max(352, most * 74), step = 70, where = new Map<number, [number, number]>();
  levels.filter(Boolean).forEach((list, depth) => {
    list.sort((a, b) => centre(a) - centre(b));
    list.forEach((set, i) => where.set(set.id, [
      list.length === 1 ? Math.max(34, Math.min(width - 34, centre(set) * width)) :
                          36 + i * (width - 72) / (list.length - 1),
      18 + depth * step
    ]));
  });
  const picture = svg('svg', {
    width,
    height: 18 + (levels.length - 1) * step + 24,
    role: 'group',
    'aria-label': 'Partition graph',
    class: 'partitions'
  });
  const perWhole = new Map<number, number>();
  for (const [whole, ...parts] of region.partitions) {
    const from = where.get(whole);
    if (!from) continue;
    const total = region.partitions.filter(p => p[0] === whole).length, k = perWhole.get(whole) ?? 0;
    perWhole.set(whole, k + 1);
    const px = from[0] + (k - (total - 1) / 2) * 30, py = from[1] + 34;
    picture.append(
        svg('line', {x1: from[0], y1: from[1] + 12, x2: px, y2: py, stroke: 'var(--ink-3)'}),
        svg('circle', {cx: px, cy: py, r: 3.5, fill: 'var(--ink)'}));
    for (const part of parts) {
      const to = where.get(part);
      if (to)
        picture.append(svg('line', {x1: px, y1: py, x2: to[0], y2: to[1] - 12, stroke: 'var(--ink-3)'}));
    }
  }
  const chosen = new Set(app.state.sets.filter(s => s.entry === region.entry).map(s => s.set));
  for (const set of sets) {
    const [x, y] = where.get(set.id)!, on = chosen.has(set.id), w = 62;
    const name = set.id === 1 ? 'true' : setName(set);
    picture.append(
        svg('g', {
          class: 'set',
          tabindex: 0,
          role: 'button',
          'aria-pressed': on ? 'true' : 'false',
          'aria-label': `${name}, ${laneWords(set.lanes)}`,
          'data-k': `set-${set.id}`,
          on: {
            click: () => choose(app, region, set.id),
            keydown: (event: KeyboardEvent) => {
              if (event.key === 'Enter' || event.key === ' ') {
                choose(app, region, set.id);
                event.preventDefault();
                event.stopPropagation();
              }
            }
          }
        },
            svg('title', {}, `${name}: ${set.term || 'true'}`), svg('rect', {
              x: x - w / 2,
              y: y - 12,
              width: w,
              height: 25,
              rx: 5,
              fill: 'var(--pane)',
              stroke: on ? 'var(--ink)' : 'var(--line-2)',
              'stroke-width': on ? 2 : 1
            }),
            svg('text', {x, y: y + 2, 'text-anchor': 'middle', 'font-weight': on ? 700 : 400},
                name.length > 8 ? name.slice(0, 7) + '…' : name),
            [...set.lanes].map((bit, i) => svg('rect', {
                                 x: x - w / 2 + 4 + i * (w - 8) / n,
                                 y: y + 6,
                                 width: (w - 8) / n - 1.5,
                                 height: 4,
                                 rx: 1,
                                 fill: bit === '0' ? 'var(--off)' : `url(#p${slotOf(slots, i)})`,
                                 opacity: bit === '?' ? 0.5 : 1
                               }))));
  }
  return el(
      'div', {class: 'chart-box', tabindex: 0, role: 'region', 'aria-label': 'Partition graph'}, picture);
}
