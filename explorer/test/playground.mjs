// The playground from file://: psic runs in the page; programs are checked while they are typed; a link
// carries them.
import {existsSync, readFileSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';
import {argument, browser, check, equal, finish, skip} from './harness.mjs';

const file = argument('page');
if (!existsSync(file)) skip(`${file} is not there: cmake --build build/wasm --target playground`);
check(statSync(file).size < 5e6, `the page has ${statSync(file).size} bytes`);
const chromium = await browser();
const context = await chromium.newContext({
  viewport: {width: 1600, height: 1000},
  permissions: ['clipboard-read', 'clipboard-write'],
  reducedMotion: 'reduce'
});
async function start(url) {
  const page = await context.newPage();
  page.on(
      'console',
      message => check(!['error', 'warning'].includes(message.type()), `console: ${message.text()}`));
  page.on('pageerror', error => check(false, error.stack));
  page.on('dialog', dialog => {
    check(false, 'a dialog');
    void dialog.dismiss();
  });
  page.on(
      'request', request => check(/^(file|blob|data):/.test(request.url()), `it asked for ${request.url()}`));
  await page.goto(url);
  await page.waitForFunction(
      () => window.psic?.model?.functions.length > 0 && document.querySelector('.big-result'), undefined,
      {timeout: 60_000});
  return page;
}
const url = 'file://' + resolve(file);
const page = await start(url);
const result = () => page.locator('.big-result').textContent();
const until = words => page.waitForFunction(
    w => document.querySelector('.playground').textContent.includes(w), words, {timeout: 20_000});
equal(await result(), '10', 'clamp 50 between 0 and 10');
check(await page.locator('.result .block').count() > 0, 'the result is drawn');

// axe-core finds nothing serious.
await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
for (const v of await page.evaluate(
         async () => (await axe.run(document, {resultTypes: ['violations']}))
                         .violations.map(v => ({
                                           id: v.id,
                                           impact: v.impact,
                                           help: v.help,
                                           nodes: v.nodes.slice(0, 4).map(n => n.html.slice(0, 160))
                                         })))) {
  if (['serious', 'critical'].includes(v.impact))
    check(false, `${v.impact} ${v.id}: ${v.help}\n  ${v.nodes.join('\n  ')}`);
}

// A mistake: psic's own message, in the line and below; the last valid result stays, and says so.
await page.locator('.ed .cm-content').click();
const setText = text => page.evaluate(t => {
  const view = document.querySelector('.ed .cm-content').cmView?.view ??
      document.querySelector('.ed .cm-content').cmTile?.view;
  view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: t}});
}, text);
const program = readFileSync(new URL('../../examples/clamp.psi', import.meta.url), 'utf8');
await setText(program.replace('%above ? %x2\n', '!%above ? %x2\n'));
await until('defined only under');
check(await page.locator('.cm-line.err').count() === 1, 'the line is marked');
check(await page.locator('.diag').count() === 1, 'the message stands below it');
check((await page.locator('.messages').textContent()).includes('^~'), 'psic\'s caret is shown');
check(await page.locator('.result.stale').count() === 1, 'the last valid result is dimmed');
check((await page.locator('.stale-words').textContent()).includes('last valid'), 'and labelled');
await setText(program);
await page.waitForFunction(
    () => !document.querySelector('.result.stale') && !document.querySelector('.diag'), undefined,
    {timeout: 20_000});

// Completion of passes, options and values.
const passes = page.locator('.passes-input .cm-content');
await passes.click();
await page.keyboard.press('Control+a');
await page.keyboard.press('Delete');
await page.keyboard.type('psi-promote,destr');
await page.waitForSelector('.cm-tooltip-autocomplete');
await page.waitForTimeout(100);
await page.keyboard.press('Tab');
await page.keyboard.type('(');
await page.keyboard.type('me');
await page.waitForSelector('.cm-tooltip-autocomplete');
check(
    (await page.locator('.cm-tooltip-autocomplete').textContent()).includes('method'),
    'options are completed');
await page.waitForTimeout(100);
await page.keyboard.press('Tab');
await page.keyboard.type('bris');
await page.keyboard.press('Escape');
await page.keyboard.type(')');
await page.waitForFunction(
    () => document.querySelector('.pass-message').textContent.includes('bris'), undefined, {timeout: 20_000});
await page.keyboard.press('Control+a');
await page.keyboard.type('psi-promote,destruct(method=briggs)');
await page.keyboard.press('Escape');
await page.waitForFunction(
    () => document.querySelector('.pass-message').hidden && !document.querySelector('.result.stale'),
    undefined, {timeout: 20_000});
await page.locator('.run-input').fill('$clamp_ssa -7 0 10');
await page.keyboard.press('Enter');
await page.waitForFunction(
    () => document.querySelector('.big-result').textContent === '0', undefined, {timeout: 20_000});
await page.locator('.run-input').fill('$clamp_ssa 1');
await page.keyboard.press('Enter');
await until('takes 3 arguments');

// A link carries program and passes.
await page.locator('.btn').click();
await page.waitForTimeout(300);
const link = await page.evaluate('location.href');
const other = await start(link);
equal(
    await other.locator('.passes-input .cm-content').textContent(), 'psi-promote,destruct(method=briggs)',
    'the passes of the link');
check((await other.locator('.ed').textContent()).includes('clamp_ssa'), 'the program of the link');
await other.close();

// All examples, and all views of one.
const names = await page.locator('.tools select option').allTextContents();
check(names.length > 30, `${names.length} examples`);
for (let i = 1; i < names.length; i += names.length > 20 ? 4 : 1) {
  const before = await page.evaluate('psic.model.data.file');
  await page.locator('.tools select').selectOption({index: i});
  await page.waitForFunction(() => !document.querySelector('.result.stale'), undefined, {timeout: 30_000});
  await page.waitForTimeout(250);
  check(await page.evaluate('psic.model.functions.length') > 0, `${names[i]} (after ${before})`);
}
await page.evaluate('document.activeElement.blur()');
for (const [key, selector] of [
         ['1', '.canvas .block'], ['2', '.chart .lrow'], ['4', '.work'], ['5', '.ed .cm-content']]) {
  await page.keyboard.press(key);
  await page.waitForSelector(selector, {timeout: 20_000});
}
await chromium.close();
finish(`${names.length - 1} examples, ${statSync(file).size} bytes`);
