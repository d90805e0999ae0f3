// All passes of the papers' figures, by the keyboard alone: what the page draws at each step is what psic
// said.
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {browser, check, equal, explore, FIGURES, finish, open, PLAYDOH, root, settle} from './harness.mjs';

const chromium = await browser();
const figures = readdirSync(join(root, 'tests/golden/figures')).filter(f => f.endsWith('.psi')).sort();
const programs = [...FIGURES, ...figures.map(f => [`tests/golden/figures/${f}`, null])];
let steps = 0;
for (const [file, passes] of programs) {
  // Functions of every form are in these files: what code generation takes.
  const {url, data} = explore(join(root, file), passes, file.replace(/\W/g, '-') + '.html');
  const page = await open(chromium, url);
  const key = async name => {
    await page.keyboard.press(name);
    await settle(page);
  };
  for (let f = 0; f < data.functions.length; ++f) {
    const func = data.functions[f];
    if (f) {
      await page.focus('select.pick');
      await page.keyboard.press('ArrowDown');
      await settle(page);
    }
    await page.evaluate('document.activeElement.blur()');
    equal(await page.evaluate('psic.func.name'), func.name, `${file}: the function`);
    for (let i = 0; i < func.steps.length; ++i) {
      ++steps;
      const seen = await page.evaluate(
          () => ({
            now: Number(document.querySelector('[role=slider]').getAttribute('aria-valuenow')),
            blocks: [...document.querySelectorAll('.canvas .block')].length,
            wanted: psic.snap.data.order.length,
            rows: [...document.querySelectorAll('.canvas .rowi')].map(
                r =>
                    [Number(r.dataset.i),
                     r.querySelector('.code').title || r.querySelector('.code').textContent]),
            texts: psic.snap.rows.map(r => [r, psic.snap.insts.get(r).text]),
            marked: [...document.querySelectorAll('.canvas .rowi.new')].length,
            small: psic.snap.rows.length < 40,
          }));
      equal(seen.now, i, `${file} $${func.name}: the step`);
      const texts = new Map(seen.texts);
      for (const [id, text] of seen.rows)
        equal(text, texts.get(id), `${file} $${func.name} step ${i}: row ${id}`);
      check(
          seen.rows.length > 0 || seen.texts.length === 0,
          `${file} $${func.name} step ${i}: no row is drawn`);
      if (seen.small) {
        await key('f');
        equal(
            await page.locator('.canvas .block').count(), seen.wanted,
            `${file} $${func.name} step ${i}: blocks`);
      }
      await key('ArrowRight');
    }
    await key('Home');
    equal(await page.evaluate('psic.step'), 0, `${file}: Home`);
  }
  await page.close();
}

// The keys, one after the other.
const {url} =
    explore(join(root, 'examples/join.psi'), `${PLAYDOH},destruct`, 'keys.html', ['--func=branches']);
const page = await open(chromium, url);
const state = () => page.evaluate('({...psic.state})');
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await settle(page);
  return state();
};
equal((await press('Shift+ArrowRight')).step, 1, 'Shift →: the next step that changed');
equal((await press('c')).compare, true, 'c compares');
equal(await page.locator('.canvas').count(), 2, 'two graphs are compared');
equal((await press('c')).compare, false, 'c again');
let s = await press('ArrowDown', 'ArrowDown', 'ArrowDown');
equal(s.inst, await page.evaluate('psic.snap.rows[2]'), '↓ goes down the instructions');
s = await press('ArrowUp');
equal(s.inst, await page.evaluate('psic.snap.rows[1]'), '↑');
check(await page.locator('.canvas .rowi.here').count() === 1, 'the instruction is framed');
check(await page.evaluate('document.querySelector("[aria-live]").textContent.length > 5'), 'and said');
s = await press('Home', '[', ']');
equal(
    s.inst, await page.evaluate('psic.snap.blocks.get(psic.snap.data.order[1]).rows[0]'),
    '] goes to the next block');
s = await press('[', 'ArrowDown', 'ArrowUp');
check(s.value !== null, 'an instruction chooses the value that it writes');
const defined = s.inst;
equal(
    (await press('u')).inst, await page.evaluate('psic.snap.values.get(psic.state.value).uses[0]'),
    'u goes to a use');
equal((await press('d')).inst, defined, 'd goes to the definition');
check((await press('p')).pin !== null, 'p pins the block');
check(await page.locator('.block.pin').count() === 1, 'it is marked');
equal((await press('p')).pin, null, 'and lets it go');
equal((await press('x')).text, false, 'x folds the text');
equal((await press('x')).text, true, 'x opens it');
equal((await press('i')).side, false, 'i folds the details');
await press('i');
equal((await press('g')).graph, true, 'g draws the partition graph');
check(await page.locator('.partitions circle').count() > 0, 'with a dot for each partition');
await press('g');
for (const [k, view] of [['2', 'live'], ['3', 'schedule'], ['4', 'steps'], ['1', 'flow']])
  equal((await press(k)).view, view, `${k} is the view`);
equal((await press('2', 'b')).blind, true, 'b is blind');
equal((await press('a')).table, true, 'a shows charts as tables');
check(await page.locator('.chart table').count() > 0, 'the table is there');
await press('a', 'b', '1');
await page.keyboard.press('?');
check(await page.locator('dialog[open]').count() === 1, '? explains the keys');
await page.keyboard.press('Escape');
await page.waitForFunction(() => !document.querySelector('dialog'));
await page.keyboard.press('/');
await page.waitForFunction(() => document.activeElement.matches('dialog input'));
await page.keyboard.type('@t');
await page.keyboard.press('Enter');
equal(
    await page.evaluate('psic.snap.blocks.get(psic.snap.blockOf.get(psic.state.inst))?.name'), '@t',
    '/ finds a block');
const link = await page.evaluate('location.hash');
await press('Escape');
equal((await state()).inst, null, 'Escape clears');
const again = await open(chromium, url + link);
equal(
    await again.evaluate('psic.snap.blocks.get(psic.snap.blockOf.get(psic.state.inst))?.name'), '@t',
    'a link brings back the selection');
// Two sets of the chart, by the keyboard: how they relate, with the proof.
const names =
    await page.locator('.partitions .set').evaluateAll(list => list.map(g => g.getAttribute('aria-label')));
for (const lane of [1, 3]) {
  await page.locator('.partitions .set').nth(names.findIndex(n => n.endsWith(`, lane ${lane}`))).focus();
  await page.keyboard.press('Enter');
}
const proof = await page.locator('.answer').allTextContents();
check(
    proof.length === 2 && /^disjoint\(.*: yes, by /.test(proof[0]) && /^subset\(.*: no/.test(proof[1]),
    `the proof: ${JSON.stringify(proof)}`);
check(await page.locator('.canvas path[stroke], .canvas g[opacity]').count() > 0, 'their lanes light up');
await press('Escape');
const theme = await page.evaluate('document.documentElement.dataset.theme');
await press('t');
check(await page.evaluate('document.documentElement.dataset.theme') !== theme, 't changes the theme');
await chromium.close();
finish(`${programs.length} files, ${steps} steps by keyboard`);
