// Elements. All text reaches the page as text nodes: names in a program may hold markup.

export type Kid = Node|string|number|null|undefined|false|''|Kid[];
export interface Props {
  class
  ?: string;
  style?: string;
  on?: Record<string, (event: any) => void>;
  [attribute: string]: unknown;
}

function fill(node: Element, props: Props|null, kids: Kid[]): void {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'class') node.setAttribute('class', String(value));
    // Through the object model: the page's policy refuses style attributes.
    else if (key === 'style')
      (node as HTMLElement).style.cssText = String(value);
    else if (key === 'on') {
      for (const [type, handler] of Object.entries(value as Props['on'] & object))
        node.addEventListener(type, handler as EventListener);
    } else
      node.setAttribute(key, value === true ? '' : String(value));
  }
  add(node, kids);
}

export function add(node: Node, kids: Kid): void {
  if (Array.isArray(kids))
    for (const kid of kids) add(node, kid);
  else if (kids instanceof Node)
    node.appendChild(kids);
  else if (typeof kids === 'number' || (typeof kids === 'string' && kids !== ''))
    node.appendChild(document.createTextNode(String(kids)));
}

export function el<K extends keyof HTMLElementTagNameMap>(
    name: K, props?: Props|null, ...kids: Kid[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  fill(node, props || null, kids);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
    name: K, props?: Props|null, ...kids: Kid[]): SVGElementTagNameMap[K] {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  fill(node, props || null, kids);
  return node;
}

export const kbd = (key: string) => el('kbd', {}, key);
export const mono = (text: Kid) => el('code', {}, text);
export const muted = (...kids: Kid[]) => el('span', {class: 'mute'}, ...kids);

// A switch of which one part is chosen.
export function segments(
    label: string, parts: [string, string][], chosen: string, choose: (id: string) => void): HTMLElement {
  return el(
      'span', {class: 'seg', role: 'group', 'aria-label': label},
      parts.map(
          ([id, title]) =>
              el('button', {
                type: 'button',
                'aria-pressed': id === chosen ? 'true' : 'false',
                'data-k': `seg-${label}-${id}`,
                on: {click: () => choose(id)}
              },
                 title)));
}

export function plural(count: number, one: string, many = one + 's'): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
export function number(value: number): string {
  if (Number.isInteger(value)) return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  return value >= 100 ? value.toFixed(0) :
      value >= 10     ? value.toFixed(1) :
                        String(Number(value.toPrecision(3)));
}
export function percent(part: number): string {
  const p = part * 100;
  return `${
      p === 0 || p === 100 || p >= 10 && Math.abs(p - Math.round(p)) < 0.05 ? Math.round(p) :
          p >= 1   ? p.toFixed(1).replace(/\.0$/, '') :
          p < 0.01 ? '< 0.01' :
                     p.toPrecision(2)} %`;
}

// Scrolling lists of thousands of rows: only those in the window are in the page.
export class RowList {
  readonly box: HTMLElement;
  private readonly inner: HTMLElement;
  private count = 0;
  private draw: (index: number) => HTMLElement = () => el('div');
  private from = -1;
  private to = -1;

  constructor(private readonly height: number, props: Props) {
    this.inner = el('div', {class: 'rows-inner', style: 'position:relative'});
    this.box = el('div', props, this.inner);
    this.box.addEventListener('scroll', () => this.refresh(false), {passive: true});
    new ResizeObserver(() => this.refresh(false)).observe(this.box);
  }
  show(count: number, draw: (index: number) => HTMLElement): void {
    this.count = count;
    this.draw = draw;
    this.inner.style.height = `${count * this.height + 16}px`;
    this.refresh(true);
  }
  reveal(index: number): void {
    const y = index * this.height + 8, top = this.box.scrollTop, room = this.box.clientHeight;
    if (y < top + 20 || y > top + room - 40) this.box.scrollTop = Math.max(0, y - room / 3);
  }
  refresh(always: boolean): void {
    const room = this.box.clientHeight || 800;
    const from = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 4);
    const to = Math.min(this.count, from + Math.ceil(room / this.height) + 10);
    if (!always && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const rows: HTMLElement[] = [];
    for (let i = from; i < to; ++i) {
      const row = this.draw(i);
      row.style.position = 'absolute';
      row.style.left = row.style.right = '0';
      row.style.top = `${i * this.height + 8}px`;
      rows.push(row);
    }
    this.inner.replaceChildren(...rows);
  }
}
