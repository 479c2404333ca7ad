// @needs pages
/** The page `#/account` of a real service: keys entered, kept, made, changed, rotated and revoked. */
import { beforeEach, expect } from 'vitest';
import { SCOPES } from '../../src/service/http/api-key.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the account page', () => {
  let visit: ConsoleVisit;
  let admin: string;
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened);
  });
  beforeEach(async () => {
    admin = await visit.service.createKey('enterprise', SCOPES);
  });

  const stored = () =>
    visit.evaluate(`[localStorage.getItem('qcs-key'), sessionStorage.getItem('qcs-key')]`);
  /** Status with which the service answers a key. */
  const statusOf = async (text: string) =>
    (await visit.service.get('/keys/info', { 'x-api-key': text })).statusCode;
  const shownKey = async () => {
    return (await visit.page.locator('.new-key').textContent()) ?? '';
  };

  test('a key that the service refuses is named at the field and is not kept', async () => {
    await visit.open('#/account');
    await visit.fill('API key', 'qcs_unknown');
    await visit.click('Use this key');
    await visit.sees('The service does not know this key');
    expect(await stored()).toEqual([null, null]);
    // The next one takes its place.
    await visit.until(`getSelection().toString() === 'qcs_unknown'
      || document.activeElement.selectionEnd - document.activeElement.selectionStart === 11`);
    expect(await visit.violations()).toEqual([]);
  });

  test('a key is used with the keyboard alone, and is kept for the tab', async () => {
    await visit.open('#/account');
    await visit.has('form');
    await visit.tabTo('API key');
    await visit.page.keyboard.type(visit.service.key);
    await visit.has('form input:focus[type=password]');
    await visit.tabTo('Show the key');
    await visit.press('Space');
    await visit.has('form input[type=text]');
    await visit.tabTo('Use this key');
    await visit.press('Enter');
    await visit.sees('Limits and usage');
    expect(await stored()).toEqual([null, visit.service.key]);
    expect(await visit.violations()).toEqual([]);
  });

  test('a key is remembered if the visitor asks for it, until it is forgotten', async () => {
    await visit.open('#/account');
    await visit.fill('API key', visit.service.key);
    await visit.page.getByLabel('Remember it in this browser').check();
    await visit.click('Use this key');
    await visit.sees('in this browser, until you forget it');
    expect(await stored()).toEqual([visit.service.key, null]);
    await visit.page.reload();
    await visit.sees('Limits and usage');
    await visit.click('Forget the key');
    await visit.sees('Enter your key');
    expect(await stored()).toEqual([null, null]);
  });

  test('a remembered key that is forgotten or replaced in another tab is so in all', async () => {
    const other = await visit.service.createKey('standard', ['read']);
    await visit.open('#/account');
    await visit.evaluate(`localStorage.setItem('qcs-key', '${visit.service.key}')`);
    await visit.page.reload();
    await visit.sees('Limits and usage');
    const tab = await visit.page.context().newPage();
    await tab.goto(`${visit.origin}/#/account`);
    await tab.evaluate(`localStorage.setItem('qcs-key', '${other}')`);
    await visit.sees('circuits: no');
    await tab.reload();
    await tab.getByRole('button', { name: 'Forget the key' }).click();
    await visit.sees('Enter your key');
    await tab.close();
  });

  test('a key that was revoked is shown no more once the service refuses it', async () => {
    const [id, text] = await makeKey('leaked');
    await visit.open('#/account', text);
    await visit.sees('Limits and usage');
    await visit.service.app.inject({
      method: 'DELETE',
      url: `/api/v1/admin/keys/${id}`,
      headers: { 'x-api-key': admin },
    });
    await visit.page.goto(`${visit.origin}/#/jobs`);
    await visit.sees('The service refuses the key leaked');
    expect(await visit.page.locator('.tools').textContent()).toContain('No key');
    expect(await stored()).toEqual([null, null]);
  });

  test('shows tier, limits and scopes of the key', async () => {
    await visit.open('#/account', visit.service.key);
    await visit.sees('of 100,000');
    await visit.sees('of 1 GiB');
    await visit.sees('admin: no');
    await visit.sees('circuits: yes');
  });

  test('an administrator makes a key, which is shown once and works', async () => {
    await visit.open('#/account/keys', admin);
    await visit.click('Make a key');
    await visit.fill('Name', 'notebooks');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Make the key');
    const text = await shownKey();
    expect(await statusOf(text)).toBe(200);
    expect(await visit.violations()).toEqual([]);
    await visit.click('I have stored it');
    await visit.lacks('dialog');
    await visit.sees('notebooks');
    expect(await visit.page.content()).not.toContain(text);
  });

  test('a fault is shown at its field', async () => {
    await visit.open('#/account/keys', admin);
    await visit.click('Make a key');
    await visit.fill('Name', '   ');
    await visit.click('Make the key');
    await visit.sees('must be 1 to 100 printable characters');
    await visit.has('dialog input[aria-invalid=true]');
  });

  test('an administrator changes a key', async () => {
    const [id, text] = await makeKey('changed');
    await visit.open('#/account/keys', admin);
    await visit.click('Change changed');
    await visit.fill('Name', 'renamed');
    await visit.page
      .locator('label', { has: visit.page.locator('strong:text-is("admin")') })
      .check();
    await visit.click('Save the changes');
    await visit.has(`[data-key="${id}"]:has-text("renamed")`);
    const { data } = (await visit.service.get('/keys/info', { 'x-api-key': text })).json();
    expect(data).toMatchObject({ name: 'renamed', scopes: ['read', 'admin'] });
  });

  test('an administrator gives a key a new secret after a question', async () => {
    const [, before] = await makeKey('rotated');
    await visit.open('#/account/keys', admin);
    await visit.click('Rotate rotated');
    await visit.page.getByLabel('Not at all: it has leaked').check();
    expect(await statusOf(before)).toBe(200);
    await visit.click('Make a new secret');
    const after = await shownKey();
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
  });

  test('an administrator revokes a key after a question, which Escape declines', async () => {
    const [id, text] = await makeKey('ended');
    await visit.open('#/account/keys', admin);
    await visit.click('Revoke ended');
    await visit.sees('This cannot be undone.');
    await visit.press('Escape');
    await visit.lacks('dialog');
    expect(await visit.focusName()).toBe('Revoke ended');
    expect(await statusOf(text)).toBe(200);
    await visit.press('Enter');
    await visit.click('Revoke for good');
    await visit.lacks(`[data-key="${id}"]`);
    expect(await statusOf(text)).toBe(401);
  });

  test('the console goes on with the new secret of its own key', async () => {
    const own = await makeKey('own', ['read', 'admin']);
    await visit.open('#/account/keys', own[1]);
    await visit.click('Rotate own');
    await visit.page.getByLabel('Not at all: it has leaked').check();
    await visit.click('Make a new secret');
    const after = await shownKey();
    await visit.until(`sessionStorage.getItem('qcs-key') === '${after}'`);
  });

  test('the audit log is read page by page and filtered', async () => {
    for (let i = 0; i < 60; i += 1) await makeKey(`audited ${i}`);
    await visit.open('#/account/audit', admin);
    await visit.sees('50 of 50 entries, and there are older ones');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Older entries');
    await visit.until(`document.querySelectorAll('ol.rows li').length > 50`);
    await visit.fill('Key, device or detail', 'name: audited 7');
    await visit.until(`document.querySelectorAll('ol.rows li').length === 1`);
  });

  test.each(['#/account/keys', '#/account/audit'])('%s fits a phone', async (hash) => {
    await visit.open(hash, admin, PHONE);
    await visit.has('main .card .head');
    expect(await visit.overflow()).toBe(0);
    expect(await visit.violations()).toEqual([]);
  });

  /** Makes a key by HTTP; its id and its text. */
  async function makeKey(name: string, scopes = ['read']): Promise<readonly [string, string]> {
    const answer = await visit.service.request({
      method: 'POST',
      url: '/admin/keys',
      headers: { 'x-api-key': admin },
      payload: { name, tier: 'standard', scopes },
    });
    const { id, key } = answer.json().data;
    return [id, key];
  }
});
