// The layout of a control-flow graph: layers, loops as boxes inside each other, right-angled edges of which
// the lanes nest in the bends. Pure data in and out, so that it can run in a worker.
//
// Loops are laid out from the innermost out; in the graph around it a loop is one node. Within one graph:
// layers by longest path, long edges as chains of points (one chain for each target), order by lanes and
// barycentres, places by least squares, and horizontal parts on channels between the layers. Near-linear but
// for the sort of each layer.

export interface LayoutBlock {
  id: number;
  width: number;
  height: number;
  lanes: string;  // mask
  slots: number[];
  region: number;     // -1: none
  hint: number|null;  // where it was from left to right before
}
export interface LayoutEdge {
  from: number;  // index of the block
  to: number;
  lanes: string;
  back: boolean;
  label: string;
}
export interface LayoutLoop {
  header: number;  // index of the block
  parent: number;  // index of the loop, -1: none
  depth: number;
  blocks: number[];
}
export interface LayoutInput {
  blocks: LayoutBlock[];  // in the order of the text; the first is the entry
  edges: LayoutEdge[];
  loops: LayoutLoop[];
}
export interface Line {
  edge: number;
  slot: number;  // 0: no lane
  points: [number, number][];
  box: [number, number, number, number];
}
export interface LayoutResult {
  width: number;
  height: number;
  x: number[];
  y: number[];
  loops: {loop: number; x: number; y: number; width: number; height: number}[];
  lines: Line[];
  labels: {edge: number; x: number; y: number}[];
}

const GAP_X = 34;     // between neighbours of a layer
const CHANNEL = 9;    // between channels of a gap
const LANE_STEP = 5;  // between the lanes of a bundle, where it is horizontal
const SIDE_STEP = 7;  // and on the side of a loop
const GAP_Y = 36;     // the least between layers
const LOOP_PAD = 16;
const INSET = 7, PITCH = 10;
const laneX = (i: number) => INSET + i * PITCH + 3.5;
const GREY_X = 14;

// A node of one graph: a block, a loop in it, a point of a chain, or the place where a chain leaves the loop.
interface Node {
  kind: 'block'|'loop'|'point'|'exit';
  of: number;  // block, loop or (of a point or exit) target block
  width: number;
  height: number;
  layer: number;
  x: number;
  y: number;
  order: number;
  weight: number;
}
// A bundle between neighbouring layers. `edges` all run through it.
interface Link {
  from: number;
  to: number;
  edges: number[];
  fromPort: number;  // offset of the block's left side in the node
  toPort: number;
  bend: number;    // height of its horizontal part, of the middle lane
  weight: number;  // how much it should be straight
}
interface Graph {
  loop: number;  // -1: the function
  nodes: Node[];
  links: Link[];
  layers: number[][];
  nodeOfBlock: Map<number, number>;
  nodeOfLoop: Map<number, number>;
  exits: Map<number, number>;  // target block to node
  backs: {node: number; port: number; edges: number[]; channel: number}[];
  width: number;
  height: number;
  headPort: number;  // x of the header's left side
  headTop: number;
  // Where the lines of an edge leave the graph: x of the left side.
  exitPort: Map<number, number>;
}

export function layout(input: LayoutInput): LayoutResult {
  const {blocks, edges, loops} = input;
  const loopOf = new Array<number>(blocks.length).fill(-1);
  // The innermost loop: the deepest that lists the block.
  loops.forEach((loop, l) => {
    for (const b of loop.blocks)
      if (loopOf[b] < 0 || loops[loopOf[b]].depth < loop.depth) loopOf[b] = l;
  });
  const parentOf = (l: number) => l < 0 ? -1 : loops[l].parent;
  const chainOf = (b: number) => {
    const chain = [-1];
    const up: number[] = [];
    for (let l = loopOf[b]; l >= 0; l = parentOf(l)) up.push(l);
    while (up.length) chain.push(up.pop()!);
    return chain;
  };

  // Edges that go back, also those of cycles that are no loops: found by depth-first search.
  const out: number[][] = blocks.map(() => []);
  edges.forEach((e, i) => out[e.from].push(i));
  const back = edges.map(e => e.back);
  const rank = new Array<number>(blocks.length).fill(-1);
  {
    const state = new Uint8Array(blocks.length);
    let post = blocks.length;
    const visit = (root: number) => {
      const stack: [number, number][] = [[root, 0]];
      state[root] = 1;
      while (stack.length) {
        const top = stack[stack.length - 1];
        if (top[1] < out[top[0]].length) {
          const e = out[top[0]][top[1]++], to = edges[e].to;
          if (state[to] === 1)
            back[e] = true;
          else if (!state[to]) {
            state[to] = 1;
            stack.push([to, 0]);
          }
        } else {
          state[top[0]] = 2;
          rank[top[0]] = --post;
          stack.pop();
        }
      }
    };
    for (let b = 0; b < blocks.length; ++b)
      if (!state[b]) visit(b);
  }

  // One graph for the function and one for each loop, innermost first.
  const order = loops.map((_, l) => l).sort((a, b) => loops[b].depth - loops[a].depth);
  order.push(-1);
  const graphs = new Map<number, Graph>();
  const members = new Map<number, number[]>([[-1, []]]);
  loops.forEach((_, l) => members.set(l, []));
  blocks.forEach((_, b) => members.get(loopOf[b])!.push(b));
  const children = new Map<number, number[]>([[-1, []]]);
  loops.forEach((_, l) => children.set(l, []));
  loops.forEach((loop, l) => children.get(loop.parent)!.push(l));
  // Each edge belongs to the graph of the innermost loop around both ends, and passes out through those
  // around its source.
  const edgesOf = new Map<number, number[]>([[-1, []]]);
  loops.forEach((_, l) => edgesOf.set(l, []));
  edges.forEach((e, i) => {
    const from = chainOf(e.from), to = chainOf(e.to);
    let common = 0;
    while (common + 1 < from.length && common + 1 < to.length && from[common + 1] === to[common + 1])
      ++common;
    edgesOf.get(from[common])!.push(i);
    for (let k = common + 1; k < from.length; ++k) edgesOf.get(from[k])!.push(i);
  });
  for (const l of order) graphs.set(l, place(l));

  // Absolute places, outermost first.
  const x = new Array<number>(blocks.length).fill(0), y = new Array<number>(blocks.length).fill(0);
  const origin = new Map<number, [number, number]>([[-1, [0, 0]]]);
  const boxes: LayoutResult['loops'] = [];
  const lanesOf = (e: number): {offset: number; target: number; slot: number}[] => {
    const edge = edges[e], a = blocks[edge.from], b = blocks[edge.to];
    const result: {offset: number; target: number; slot: number}[] = [];
    const same = a.region === b.region && a.region >= 0;
    if (a.region >= 0) {
      [...edge.lanes].forEach((bit, i) => {
        if (bit === '0') return;
        result.push({offset: laneX(i), target: same ? laneX(i) : GREY_X, slot: (a.slots[i] ?? i) % 6 + 1});
      });
    }
    if (!result.length || !same) {
      // Between regions: one grey line, straight where the blocks are in line.
      const target = b.lanes.length ? laneX(Math.floor((b.lanes.length - 1) / 2)) + 5 :
          result.length             ? result[Math.floor(result.length / 2)].offset :
                                      GREY_X;
      return [
        {offset: result.length ? result[Math.floor(result.length / 2)].offset : target, target, slot: 0}
      ];
    }
    return result;
  };
  for (const l of [...order].reverse()) {
    const graph = graphs.get(l)!, [ox, oy] = origin.get(l)!;
    for (const node of graph.nodes) {
      if (node.kind === 'block') {
        x[node.of] = ox + node.x;
        y[node.of] = oy + node.y;
      } else if (node.kind === 'loop') {
        origin.set(node.of, [ox + node.x, oy + node.y]);
        boxes.push({loop: node.of, x: ox + node.x, y: oy + node.y, width: node.width, height: node.height});
      }
    }
  }
  const lines: Line[] = [];
  const labels: LayoutResult['labels'] = [];
  // Points of each edge, from its source through the graphs around it to its target.
  const points: [number, number][][][] = edges.map((_, e) => lanesOf(e).map(() => []));
  for (const l of order) {
    const graph = graphs.get(l)!, [ox, oy] = origin.get(l)!;
    const byEdge = new Map<number, Link[]>();
    for (const link of graph.links)
      for (const e of link.edges) byEdge.set(e, [...(byEdge.get(e) || []), link]);
    for (const e of edgesOf.get(l)!) {
      const chain =
          (byEdge.get(e) || []).sort((a, b) => graph.nodes[a.from].layer - graph.nodes[b.from].layer);
      const lanes = lanesOf(e);
      chain.forEach((link, at) => {
        const a = graph.nodes[link.from], b = graph.nodes[link.to];
        const first = at === 0 && a.kind !== 'point' && a.kind !== 'exit';
        const last = at === chain.length - 1 && b.kind !== 'exit';
        lanes.forEach((lane, k) => {
          const x0 = ox + a.x + link.fromPort + lane.offset;
          const x1 = ox + b.x + link.toPort + (last ? lane.target : lane.offset);
          const list = points[e][k];
          const bottom = oy + a.y + a.height;
          if (first && a.kind === 'block') list.push([x0, bottom]);
          if (Math.abs(x0 - x1) >= 0.5) {
            const n = lanes.length, shift = (x1 > x0 ? n - 1 - k : k) * LANE_STEP - (n - 1) * LANE_STEP / 2;
            list.push([x0, oy + link.bend + shift], [x1, oy + link.bend + shift]);
            if (first && a.kind === 'block' && k === 0)
              labels.push({
                edge: e,
                x: Math.min(x0, x1) + (x1 > x0 ? 10 + n * 5 : 6),
                y: oy + link.bend - (n - 1) * LANE_STEP / 2 - 19
              });
          } else if (first && a.kind === 'block' && k === lanes.length - 1)
            labels.push({edge: e, x: x0 + 9, y: oy + link.bend - 8});
          if (last) list.push([x1, oy + b.y + (b.kind === 'loop' ? graphs.get(b.of)!.headTop : 0)]);
        });
      });
      // Back edges: down, right, up the right side, left, down to the header.
      const backs = graph.backs.find(item => item.edges.includes(e));
      if (backs) {
        const a = graph.nodes[backs.node];
        const header = l < 0 ? edges[e].to : loops[l].header;
        const target = edges[e].to;
        lanes.forEach((lane, k) => {
          const n = lanes.length, list = points[e][k];
          const x0 = ox + a.x + backs.port + lane.offset;
          if (a.kind === 'block') list.push([x0, oy + a.y + a.height]);
          const down = oy + backs.channel + (n - 1 - k) * LANE_STEP;
          const side = ox + graph.width - LOOP_PAD - k * SIDE_STEP - 4;
          const tx = x[target] + lane.target, ty = y[target];
          const up = ty - 14 - (n - 1 - k) * LANE_STEP;
          list.push([x0, down], [side, down], [side, up], [tx, up], [tx, ty]);
          if (k === 0 && header === target) labels.push({edge: e, x: side - 96, y: up - 21});
        });
      }
    }
  }
  edges.forEach((_, e) => {
    lanesOf(e).forEach((lane, k) => {
      const list = simplify(points[e][k]);
      if (list.length < 2) return;
      const xs = list.map(p => p[0]), ys = list.map(p => p[1]);
      lines.push({
        edge: e,
        slot: lane.slot,
        points: list,
        box: [Math.min(...xs) - 4, Math.min(...ys) - 4, Math.max(...xs) + 4, Math.max(...ys) + 4]
      });
    });
  });
  const whole = graphs.get(-1)!;
  return {width: whole.width, height: whole.height, x, y, loops: boxes, lines, labels};

  function place(l: number): Graph {
    const graph: Graph = {
      loop: l,
      nodes: [],
      links: [],
      layers: [],
      nodeOfBlock: new Map(),
      nodeOfLoop: new Map(),
      exits: new Map(),
      backs: [],
      width: 0,
      height: 0,
      headPort: 0,
      headTop: 0,
      exitPort: new Map()
    };
    const {nodes, links} = graph;
    const node = (kind: Node['kind'], of: number, width: number, height: number, weight: number): number => {
      nodes.push({kind, of, width, height, layer: 0, x: 0, y: 0, order: 0, weight});
      return nodes.length - 1;
    };
    for (const b of members.get(l)!)
      graph.nodeOfBlock.set(b, node('block', b, blocks[b].width, blocks[b].height, 1));
    for (const c of children.get(l)!)
      graph.nodeOfLoop.set(c, node('loop', c, graphs.get(c)!.width, graphs.get(c)!.height, 2));
    // The node of this graph that holds a block, or undefined if it is outside of the loop.
    const holder = (b: number): number|undefined => {
      let inner = loopOf[b];
      if (inner === l) return graph.nodeOfBlock.get(b);
      while (inner >= 0 && parentOf(inner) !== l) inner = parentOf(inner);
      return inner < 0 ? undefined : graph.nodeOfLoop.get(inner);
    };
    const laneCount = (list: number[]) => Math.max(1, ...list.map(e => {
      let n = 0;
      for (const bit of edges[e].lanes)
        if (bit !== '0') ++n;
      return n;
    }));
    const header = l < 0 ? -1 : loops[l].header;
    const forward: {edge: number; from: number; to: number; target: number}[] = [];
    for (const e of edgesOf.get(l)!) {
      const from = holder(edges[e].from)!, target = edges[e].to;
      let to = holder(target);
      if (to === undefined) {  // out of the loop
        if (!graph.exits.has(target)) graph.exits.set(target, node('exit', target, 24, 0, 1));
        to = graph.exits.get(target)!;
      }
      if (back[e] && holder(target) !== undefined) {
        const known = graph.backs.find(b => b.node === from && edges[b.edges[0]].to === target);
        if (known)
          known.edges.push(e);
        else
          graph.backs.push({node: from, port: 0, edges: [e], channel: 0});
      } else if (from !== to)
        forward.push({edge: e, from, to, target});
    }

    // Layers: longest path. Without cycles, because what goes back has been set aside; what remains of one is
    // cut.
    const degree = new Array<number>(nodes.length).fill(0), next: number[][] = nodes.map(() => []);
    for (const f of forward) {
      next[f.from].push(f.to);
      ++degree[f.to];
    }
    const ready = nodes.map((_, i) => i).filter(i => !degree[i]);
    const done = new Uint8Array(nodes.length);
    let position = 0;
    const settle = () => {
      for (; position < ready.length; ++position) {
        const n = ready[position];
        done[n] = 1;
        for (const to of next[n]) {
          if (done[to]) continue;
          nodes[to].layer = Math.max(nodes[to].layer, nodes[n].layer + 1);
          if (--degree[to] === 0) ready.push(to);
        }
      }
    };
    settle();
    for (let n = 0; n < nodes.length; ++n)
      if (!done[n] && degree[n] > 0) {
        degree[n] = 0;
        ready.push(n);
        settle();
      }
    let depth = Math.max(0, ...nodes.map(n => n.kind === 'exit' ? 0 : n.layer));
    if (graph.exits.size) {
      depth += 1;
      for (const n of graph.exits.values()) nodes[n].layer = depth;
    }
    // Blocks without successors in the layer under their only predecessor stay there; entries at the top.
    const chains = new Map<string, number>();
    const linkOf = new Map<string, number>();
    const link = (from: number, to: number, e: number, fromPort: number, toPort: number) => {
      const key = `${from},${to},${fromPort},${toPort}`;
      let index = linkOf.get(key);
      if (index === undefined) {
        linkOf.set(key, index = links.length);
        links.push({from, to, edges: [], fromPort, toPort, bend: 0, weight: 0});
      }
      links[index].edges.push(e);
      links[index].weight = Math.max(links[index].weight, laneCount([e]) ** 2);
    };
    const portOut = (n: number, target: number) =>
        nodes[n].kind === 'loop' ? graphs.get(nodes[n].of)!.exitPort.get(target) ?? LOOP_PAD : 0;
    const portIn = (n: number) => nodes[n].kind === 'loop' ? graphs.get(nodes[n].of)!.headPort : 0;
    for (const f of forward) {
      if (nodes[f.to].layer <= nodes[f.from].layer) continue;  // cut
      let from = f.from, port = portOut(f.from, f.target);
      for (let layer = nodes[f.from].layer + 1; layer < nodes[f.to].layer; ++layer) {
        const key = `${f.target},${layer}`;
        let point = chains.get(key);
        if (point === undefined) {
          const lanes = blocks[f.target].lanes.length;
          chains.set(key, point = node('point', f.target, lanes ? INSET + lanes * PITCH : 24, 0, 8));
          nodes[point].layer = layer;
        }
        link(from, point, f.edge, port, 0);
        from = point;
        port = 0;
      }
      link(from, f.to, f.edge, port, portIn(f.to));
    }
    for (const n of nodes) {
      while (graph.layers.length <= n.layer) graph.layers.push([]);
    }
    // First order: by where it was, then by the lanes, then by the text.
    const leftmost = (n: Node): number => {
      const b = n.kind === 'loop' ? loops[n.of].header : n.of;
      const mask = blocks[b].lanes;
      const hint = blocks[b].hint;
      if (n.kind === 'block' && hint !== null) return hint * 1e-6;
      let sum = 0, count = 0;
      for (let i = 0; i < mask.length; ++i)
        if (mask[i] !== '0') {
          sum += i;
          ++count;
        }
      return count ? sum / count : 3;
    };
    nodes.forEach((n, i) => graph.layers[n.layer].push(i));
    const up: number[][] = nodes.map(() => []), down: number[][] = nodes.map(() => []);
    links.forEach((k, i) => {
      down[k.from].push(i);
      up[k.to].push(i);
    });
    for (const layer of graph.layers) {
      const key = new Map(layer.map(i => [i, leftmost(nodes[i])]));
      layer.sort((a, b) => key.get(a)! - key.get(b)! || a - b);
      layer.forEach((i, at) => nodes[i].order = at);
    }
    const hinted = members.get(l)!.some(b => blocks[b].hint !== null);
    const sweeps = hinted ? 2 : nodes.length > 4000 ? 4 : 10;
    const crossings = () => {
      let sum = 0;
      for (const layer of graph.layers) {
        const ends: [number, number][] = [];
        for (const i of layer)
          for (const k of down[i])
            ends.push([nodes[links[k].from].order * 64 + links[k].fromPort / 8, nodes[links[k].to].order]);
        if (ends.length > 400) return -1;  // too many to count for what it brings
        for (let a = 0; a < ends.length; ++a)
          for (let b = a + 1; b < ends.length; ++b)
            if ((ends[a][0] - ends[b][0]) * (ends[a][1] - ends[b][1]) < 0) ++sum;
      }
      return sum;
    };
    let best = crossings(), kept = graph.layers.map(layer => [...layer]);
    for (let s = 0; s < sweeps; ++s) {
      const downwards = s % 2 === 0;
      const list = downwards ? graph.layers : [...graph.layers].reverse();
      for (const layer of list) {
        const centre = new Map<number, number>();
        for (const i of layer) {
          const near = downwards ? up[i] : down[i];
          let sum = 0;
          for (const k of near)
            sum +=
                downwards ? nodes[links[k].from].order + links[k].fromPort / 4000 : nodes[links[k].to].order;
          centre.set(i, near.length ? sum / near.length : nodes[i].order);
        }
        const lane = new Map(layer.map(i => [i, leftmost(nodes[i])]));
        layer.sort(
            (a, b) => centre.get(a)! - centre.get(b)! || lane.get(a)! - lane.get(b)! ||
                nodes[a].order - nodes[b].order);
        layer.forEach((i, at) => nodes[i].order = at);
      }
      const now = crossings();
      if (now >= 0 && (now < best || best < 0)) {
        best = now;
        kept = graph.layers.map(layer => [...layer]);
      }
    }
    if (best >= 0) {
      graph.layers = kept;
      for (const layer of kept) layer.forEach((i, at) => nodes[i].order = at);
    }

    // Places from left to right: each layer by least squares against its neighbours, in turns.
    const gap = (a: Node, b: Node) => a.width +
        (a.kind === 'point' && b.kind === 'point'     ? 10 :
             a.kind === 'point' || b.kind === 'point' ? 18 :
                                                        GAP_X);
    for (const layer of graph.layers) {
      let at = 0;
      layer.forEach((i, k) => {
        nodes[i].x = at;
        if (k + 1 < layer.length) at += gap(nodes[i], nodes[layer[k + 1]]);
      });
      const centre = at / 2;
      for (const i of layer) nodes[i].x -= centre;
    }
    const rounds = nodes.length > 3000 ? 6 : 16;
    for (let s = 0; s < rounds; ++s) {
      const list = s % 2 ? graph.layers : [...graph.layers].reverse();
      for (const layer of list) spreadOut(layer, s >= rounds - 4 || s < 2);
    }
    function spreadOut(layer: number[], both: boolean): void {
      // Pool adjacent violators: places d with weights w, in order, at least `gap` apart.
      const goal: number[] = [], weight: number[] = [], offset: number[] = [];
      let shift = 0;
      layer.forEach((i, k) => {
        const n = nodes[i];
        let sum = 0, total = 0;
        for (const index of up[i]) {
          const k2 = links[index], other = nodes[k2.from],
                w = k2.weight * (other.kind === 'point' && n.kind === 'point' ? 8 : 1);
          sum += w * (other.x + k2.fromPort - k2.toPort);
          total += w;
        }
        if (both || !total)
          for (const index of down[i]) {
            const k2 = links[index], other = nodes[k2.to],
                  w = k2.weight * (other.kind === 'point' && n.kind === 'point' ? 8 : 1);
            sum += w * (other.x + k2.toPort - k2.fromPort);
            total += w;
          }
        offset.push(shift);
        goal.push((total ? sum / total : n.x) - shift);
        weight.push(total ? Math.max(1, total) * n.weight : 0.1);
        if (k + 1 < layer.length) shift += gap(n, nodes[layer[k + 1]]);
      });
      const pools: {sum: number; weight: number; count: number}[] = [];
      goal.forEach((g, k) => {
        pools.push({sum: g * weight[k], weight: weight[k], count: 1});
        while (pools.length > 1) {
          const b = pools[pools.length - 1], a = pools[pools.length - 2];
          if (a.sum / a.weight <= b.sum / b.weight) break;
          pools.pop();
          a.sum += b.sum;
          a.weight += b.weight;
          a.count += b.count;
        }
      });
      let k = 0;
      for (const pool of pools)
        for (let c = 0; c < pool.count; ++c, ++k) nodes[layer[k]].x = pool.sum / pool.weight + offset[k];
    }
    for (const n of nodes) n.x = Math.round(n.x);
    straighten();
    function straighten(): void {
      // Each chain, as far as it can, in one straight line between its neighbours in the layers.
      const lists = new Map<number, number[]>();
      nodes.forEach((n, i) => {
        if (n.kind === 'point' || n.kind === 'exit') lists.set(n.of, [...(lists.get(n.of) || []), i]);
      });
      const range = (i: number): [number, number] => {
        const layer = graph.layers[nodes[i].layer], at = nodes[i].order;
        const left = at > 0 ? nodes[layer[at - 1]].x + gap(nodes[layer[at - 1]], nodes[i]) : -Infinity;
        const right =
            at + 1 < layer.length ? nodes[layer[at + 1]].x - gap(nodes[i], nodes[layer[at + 1]]) : Infinity;
        return [left, right];
      };
      for (const list of lists.values()) {
        list.sort((a, b) => nodes[a].layer - nodes[b].layer);
        // The block at the end takes part in the choice of the place.
        for (let from = 0; from < list.length;) {
          let [low, high] = range(list[from]), to = from + 1, sum = nodes[list[from]].x;
          for (; to < list.length; ++to) {
            const [a, b] = range(list[to]);
            if (Math.max(low, a) > Math.min(high, b)) break;
            low = Math.max(low, a);
            high = Math.min(high, b);
            sum += nodes[list[to]].x;
          }
          const last = list[to - 1];
          const goal = to === list.length && nodes[last].kind === 'point' && down[last].length === 1 ?
              nodes[links[down[last][0]].to].x + links[down[last][0]].toPort :
              sum / (to - from);
          const x = Math.round(Math.max(low, Math.min(high, goal)));
          for (let i = from; i < to; ++i) nodes[list[i]].x = x;
          from = to;
        }
      }
    }
    const left = Math.min(...nodes.map(n => n.x));
    const pad = l < 0 ? 0 : LOOP_PAD + 6;
    for (const n of nodes) n.x += pad - left;

    // Channels between the layers.
    const heights = graph.layers.map(layer => Math.max(0, ...layer.map(i => nodes[i].height)));
    const gaps: Link[][] = graph.layers.map(() => []);
    for (const k of links) gaps[nodes[k.from].layer].push(k);
    const backsAt: Graph['backs'][] = graph.layers.map(() => []);
    for (const b of graph.backs) backsAt[nodes[b.node].layer].push(b);
    let y = l < 0 ? 26 :
                    44 +
            (graph.backs.length ? (Math.max(...graph.backs.map(b => laneCount(b.edges))) - 1) * LANE_STEP :
                                  0);
    graph.layers.forEach((layer, at) => {
      for (const i of layer) {
        nodes[i].y = y;
        // Points and the last layer's ends span the layer.
        if (nodes[i].kind === 'point') nodes[i].height = heights[at];
      }
      y += heights[at];
      const bends = gaps[at].map(k => {
        const x0 = nodes[k.from].x + k.fromPort, x1 = nodes[k.to].x + k.toPort;
        return {k, x0, x1, from: Math.min(x0, x1) - 4, to: Math.max(x0, x1) + 64, lanes: laneCount(k.edges)};
      });
      const flat = bends.filter(b => Math.abs(b.x0 - b.x1) >= 0.5);
      // To the right: those that start further right bend first; to the left: those further left.
      flat.sort((a, b) => {
        const ra = a.x1 > a.x0, rb = b.x1 > b.x0;
        if (ra !== rb) return ra ? 1 : -1;
        return ra ? b.x0 - a.x0 || b.x1 - a.x1 : a.x0 - b.x0 || a.x1 - b.x1;
      });
      const taken: {from: number; to: number; top: number; bottom: number}[] = [];
      let low = 0;
      for (const b of flat) {
        const size = (b.lanes - 1) * LANE_STEP;
        let top = 0;
        for (let moved = true; moved;) {
          moved = false;
          for (const t of taken) {
            if (t.from < b.to && b.from < t.to && t.top < top + size + CHANNEL && top < t.bottom + CHANNEL) {
              top = t.bottom + CHANNEL;
              moved = true;
            }
          }
        }
        taken.push({from: b.from, to: b.to, top, bottom: top + size});
        b.k.bend = top + size / 2;
        low = Math.max(low, top + size);
      }
      const first = 24;
      for (const b of flat) b.k.bend += y + first;
      for (const b of bends)
        if (!flat.includes(b)) b.k.bend = y + first;
      let room = flat.length ? low + first + 18 : GAP_Y;
      for (const b of backsAt[at]) {
        b.port = nodes[b.node].kind === 'loop' ?
            graphs.get(nodes[b.node].of)!.exitPort.get(edges[b.edges[0]].to) ?? LOOP_PAD :
            0;
        b.channel = y + (flat.length ? low + first + 12 : 12);
        low += laneCount(b.edges) * LANE_STEP + 8;
        room = Math.max(
            room, b.channel - y + laneCount(b.edges) * LANE_STEP + (at + 1 < graph.layers.length ? 20 : 8));
      }
      if (at + 1 === graph.layers.length) room = backsAt[at].length ? room : 12;
      y += room;
    });
    graph.height = y;
    const right = Math.max(...nodes.map(n => n.x + n.width));
    const sides =
        graph.backs.length ? Math.max(...graph.backs.map(b => laneCount(b.edges))) * SIDE_STEP + 18 : 0;
    graph.width = right + pad + sides;
    if (l >= 0) {
      const head = nodes[graph.nodeOfBlock.get(header)!];
      if (head) {
        graph.headPort = head.x;
        graph.headTop = head.y;
      }
      for (const [target, n] of graph.exits) {
        nodes[n].height = graph.height - nodes[n].y;
        graph.exitPort.set(target, nodes[n].x);
      }
    }
    return graph;
  }
}

// Without points on a straight line.
function simplify(points: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const p of points) {
    const a = result[result.length - 2], b = result[result.length - 1];
    if (b && Math.abs(b[0] - p[0]) < 0.01 && Math.abs(b[1] - p[1]) < 0.01) continue;
    if (a && b &&
        (Math.abs(a[0] - b[0]) < 0.01 && Math.abs(b[0] - p[0]) < 0.01 ||
         Math.abs(a[1] - b[1]) < 0.01 && Math.abs(b[1] - p[1]) < 0.01))
      result[result.length - 1] = p;
    else
      result.push(p);
  }
  return result;
}
