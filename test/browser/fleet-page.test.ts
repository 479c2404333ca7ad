// @needs pages
/** The page `#/fleet` of a real service: states of devices, maintenance, its other parts, keys alone, axe. */
import { afterAll, beforeEach, expect } from 'vitest';
import { SCOPES } from '../../src/service/http/api-key.ts';
import { Workloads } from '../../src/workloads/workloads.ts';
import { FakeDevices } from '../service/support/fake-devices.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { InProcessPool } from '../service/support/in-process-pool.ts';
import { BELL, START } from '../service/support/test-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test, WALL } from './console-visit.ts';

const PARTS = ['', '/devices', '/processors', '/tpu', '/models', '/device/gpu-03'] as const;
const CHECKED_AT = Date.UTC(2026, 0, 2);

/** Says that it is in maintenance as all processors do. */
class FleetProcessor extends FakeProcessor {
  override setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.reason = maintenance && `In maintenance: ${maintenance.reason}`;
  }
}

describeWith(['Chromium'], 'the fleet page', () => {
  let visit: ConsoleVisit;
  let admin: string;
  const devices = new FakeDevices();
  const pool = new InProcessPool();
  const workloads = new Workloads({ processors: [], pool, queueLimit: 4, now: () => START });
  const fleet = new FleetProcessor({ id: 'gpu-fleet', name: 'The fleet', family: 'gpu-fleet' });
  test.beforeAll(async ({ opened }) => {
    await workloads.start();
    await workloads.measure();
    const processors = [fleet, new FakeProcessor()];
    visit = await ConsoleVisit.start(opened, { devices, processors, workloads });
    admin = await visit.service.createKey('enterprise', SCOPES);
  });
  afterAll(async () => {
    await workloads.close();
  });
  beforeEach(() => {
    for (const { id } of devices.devices()) {
      devices.setMaintenance(id, undefined);
      devices.change(id, { isBusy: false, queueDepth: 0 });
    }
  });

  /** Waits for the label of a tile. */
  const tile = (id: string, label: string) =>
    visit.has(`.device[data-id="${id}"]:has-text("${label}")`);
  const maintenanceOf = (id: string) => devices.device(id)?.maintenance;
  const focused = () =>
    visit.evaluate(`document.activeElement.dataset.id ?? document.activeElement.innerText`);

  test('says without a key what it needs', async () => {
    for (const part of PARTS) {
      await visit.open(`#/fleet${part}`);
      await visit.sees('You need an API key with the scope read to see the fleet.');
    }
    expect(await visit.violations()).toEqual([]);
  });

  test('says to a key without the scope what is missing', async () => {
    const key = await visit.service.createKey('standard', ['circuits']);
    await visit.open('#/fleet/devices', key);
    await visit.sees('Use another key');
    expect(await visit.violations()).toEqual([]);
  });

  test('begins with what runs the circuits, and the devices are one card', async () => {
    const { history } = visit.service.deps.metrics;
    const sample = (waiting: number) =>
      history.sample({ waiting, expectedWaitMs: 20, engines: [] });
    sample(0);
    visit.service.clock.now += 60_000;
    sample(4);
    await visit.service.submit({ ...BELL });
    await visit.open('#/fleet', visit.service.key);
    await visit.sees('0 circuits wait');
    await visit.sees('half within 1 ms, 95% within 1 ms and 99% within 1 ms');
    await visit.sees('0 of 1 job failed');
    await visit.sees('Kept by the service since its start at ');
    await visit.has('.load-curves .plot[aria-label^="Circuits that wait"]');
    await visit.has('section[aria-label="Devices"] .basis');
    expect(await visit.page.locator('.device').count()).toBe(0);
    expect(await visit.violations()).toEqual([]);
    await visit.page.getByRole('link', { name: 'Show the devices' }).click();
    await tile('gpu-00', 'gpu-00: Idle');
  });

  test('turns grey when the service is gone, and says how old it is', async () => {
    await visit.open('#/fleet', visit.service.key);
    await visit.sees('0 circuits wait');
    await visit.page.route('**/api/v1/**', (route) => route.abort());
    await visit.has('.outdated');
    await visit.sees('The service cannot be reached.');
    await visit.page.getByText(/What is shown is of (just now|\d+ s ago)\./).waitFor();
    expect(await visit.violations()).toEqual([]);
    await visit.page.unroute('**/api/v1/**');
    await visit.lacks('.outdated');
    // The browser says that requests failed, as they were to.
    visit.complaints.length = 0;
  });

  test('shows each device by its node, with what backs it', async () => {
    await visit.open('#/fleet/devices', visit.service.key);
    await tile('gpu-00', 'gpu-00: Idle');
    await tile('gpu-00', 'GPU, modelled');
    await tile('gpu-47', 'CPU, modelled');
    expect(await visit.page.locator('.node').count()).toBe(6);
    for (let node = 0; node < 6; node += 1)
      await visit.has(`.node[aria-label="node-${node}: 8 idle"]`);
    await visit.sees(
      'Shares of real hardware: 24 of the GPU Card and 24 of the CPU engine on Cores.',
    );
    expect(await visit.violations()).toEqual([]);
  });

  test('shows states as words and signs, and follows them', async () => {
    await visit.open('#/fleet/devices', visit.service.key);
    await tile('gpu-00', 'gpu-00: Idle');
    const checkedAt = CHECKED_AT;
    const because = (reason: string) => ({ availability: { available: false, reason, checkedAt } });
    devices.change('gpu-00', { isBusy: true, queueDepth: 3 });
    devices.setMaintenance('gpu-01', { reason: 'new fans' });
    devices.change('gpu-02', because('The adapter was lost.'));
    devices.change('gpu-09', because('Node b was not heard of since 2026-01-02T03:04:05.678Z.'));
    devices.change('gpu-10', because('Node b is being drained.'));
    await tile('gpu-00', 'gpu-00: Busy, load 0%, 3 waiting');
    await tile('gpu-01', 'gpu-01: Maintenance');
    await tile('gpu-02', 'gpu-02: Quarantine');
    await tile('gpu-09', 'gpu-09: Silent');
    await tile('gpu-10', 'gpu-10: Draining');
    const signs = await visit.page.locator('.device .sign').allTextContents();
    expect(signs.slice(0, 4)).toEqual(['▶', 'M', '!', '○']);
    await visit.has('[role="status"]:has-text("gpu-09 (Silent)")');
    expect(await visit.violations()).toEqual([]);
    await visit.page.locator('.device[data-id="gpu-09"]').click();
    await visit.sees('was not heard of since');
    await visit.sees('The figures are those of that time.');
    expect(await visit.violations()).toEqual([]);
  });

  test('shows the details of a device, and says that there is no other one', async () => {
    await visit.open('#/fleet/device/gpu-30', visit.service.key);
    await visit.sees('the CPU engine on Cores, shared by 24 devices');
    await visit.sees('node-3, place 6');
    await visit.sees('A key with the scope admin can take it out of service');
    await visit.has('.details .spark-line');
    await visit.open('#/fleet/device/gpu-99', visit.service.key);
    await visit.sees('There is no device gpu-99.');
  });

  test('is used with the keyboard alone', async () => {
    await visit.open('#/fleet/devices', visit.service.key);
    await visit.has('.device');
    while ((await focused()) !== 'gpu-00') await visit.press('Tab');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight'] as const) await visit.press(key);
    expect(await focused()).toBe('gpu-06');
    expect(await visit.evaluate('location.hash')).toBe('#/fleet/device/gpu-06');
    await visit.press('End');
    expect(await focused()).toBe('gpu-47');
    await visit.sees('node-5, place 7');
    await visit.press('Enter');
    await visit.has('.details h2:focus');
    await visit.press('Escape');
    await visit.has('[data-id="gpu-47"]:focus');
    expect(await visit.evaluate('location.hash')).toBe('#/fleet/devices');
  });

  test('shows the same as a table', async () => {
    await visit.open('#/fleet/devices', visit.service.key);
    await visit.click('Table');
    await visit.has('.devices table');
    expect(await visit.page.locator('tbody tr').count()).toBe(48);
    expect(await visit.violations()).toEqual([]);
    await visit.page.locator('tbody tr:nth-child(3) a').click();
    await visit.has('.details h2:focus');
    await visit.has('.devices tr[aria-current]');
  });

  test('an administrator takes a device out of service and puts it back', async () => {
    devices.change('gpu-05', { isBusy: true, queueDepth: 2 });
    await visit.open('#/fleet/device/gpu-05', admin);
    await visit.click('Take gpu-05 out of service …');
    await visit.sees('The circuit that runs on gpu-05 now finishes there.');
    expect(await visit.violations()).toEqual([]);
    // Without a reason nothing is sent.
    await visit.press('Enter');
    expect(maintenanceOf('gpu-05')).toBeUndefined();
    await visit.fill('Reason, which callers are shown', 'new fans');
    await visit.press('Enter');
    await visit.sees('gpu-05 is in maintenance.');
    expect(maintenanceOf('gpu-05')).toEqual({ reason: 'new fans' });
    await tile('gpu-05', 'Maintenance');
    await visit.sees('new fans');
    await visit.click('Put gpu-05 back into service …');
    await visit.click('Put gpu-05 back into service');
    await visit.sees('gpu-05 is back in service.');
    expect(maintenanceOf('gpu-05')).toBeUndefined();
    await tile('gpu-05', 'Busy');
    const changes = await visit.page.locator('.changes li').allInnerTexts();
    expect(changes.map((text) => text.replace(/^\S+ /, ''))).toEqual([
      'Maintenance → Busy',
      'Busy → Maintenance',
    ]);
  });

  test('nothing happens to a device if the question is cancelled', async () => {
    await visit.open('#/fleet/device/gpu-05', admin);
    await visit.click('Take gpu-05 out of service …');
    await visit.has('dialog[open]');
    await visit.press('Escape');
    await visit.lacks('dialog[open]');
    expect(await visit.evaluate('location.hash')).toBe('#/fleet/device/gpu-05');
    expect(maintenanceOf('gpu-05')).toBeUndefined();
  });

  test('an administrator takes a processor out of service and puts it back', async () => {
    await visit.open('#/fleet/processors', admin);
    await visit.sees('Takes circuits of up to 24 qubits.');
    await visit.click('Take gpu-fleet out of service …');
    await visit.fill('Reason, which callers are shown', 'new fans');
    await visit.click('Take gpu-fleet out of service');
    await visit.sees('In maintenance: new fans.');
    expect(fleet.reason).toBe('In maintenance: new fans');
    await visit.click('Put gpu-fleet back into service …');
    await visit.click('Put gpu-fleet back into service');
    await visit.sees('gpu-fleet is back in service.');
    expect(fleet.reason).toBeUndefined();
    expect(await visit.violations()).toEqual([]);
  });

  test('shows the chips of the TPU zones, own slices apart from those of others', async () => {
    await visit.open('#/fleet/tpu', visit.service.key);
    await visit.sees('64 of 64 v4 chips are free. 0 jobs have chips, 0 jobs wait for chips.');
    pool.isHolding = true;
    const slice = (key: string, chips: number) =>
      visit.service.request({
        method: 'POST',
        url: '/tpu/jobs',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        payload: JSON.stringify({
          job_type: 'inference',
          tpu_type: 'v4',
          zone: 'us-central2-b',
          chips,
        }),
      });
    await slice(visit.service.key, 8);
    await slice(admin, 16);
    await visit.sees('40 of 64 v4 chips are free. 2 jobs have chips, 0 jobs wait for chips.');
    await expect.poll(() => visit.page.locator('.chips [data-kind="own"]').count()).toBe(8);
    expect(await visit.page.locator('.chips i').count()).toBe(320);
    expect(await visit.page.locator('.chips [data-kind="other"]').count()).toBe(16);
    expect(await visit.violations()).toEqual([]);
  });

  test('shows models, agents and systems with their self-tests and the scopes that they need', async () => {
    await visit.open('#/fleet/models', visit.service.key);
    await visit.sees('Computation Agent');
    await visit.sees('No text-generation upstream is configured');
    await visit.sees('Needs a key with the scope agents, which yours has.');
    await visit.sees('Available while the self-test of at least one simulator passes.');
    expect(await visit.violations()).toEqual([]);
  });

  test.each([
    ['a phone', [PHONE]],
    ['a desk and a wall', [DESK, WALL]],
  ] as const)('has parts that fit %s, and axe finds nothing in the dark', async (_, sizes) => {
    devices.setMaintenance('gpu-01', { reason: 'new fans' });
    for (const part of PARTS) {
      await visit.open(`#/fleet${part}`, admin, sizes[0], 'dark');
      await visit.has('.api-panel');
      expect([part, await visit.violations()]).toEqual([part, []]);
      for (const size of sizes) {
        await visit.resize(size, 'dark');
        await expect.poll(() => visit.overflow(), { message: part }).toBe(0);
      }
    }
  });

  test('fills the width of a wall with the map', async () => {
    await visit.open('#/fleet/devices', visit.service.key, WALL);
    const map = await visit.page.locator('.map').boundingBox();
    expect(map?.width).toBeGreaterThan(WALL.width * 0.9);
  });
});
