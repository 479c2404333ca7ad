import { describe, expect, test } from 'vitest';
import type { GpuCard } from '../../../src/fleet/adapters/adapter-discovery.ts';
import { type PlanOptions, planAdapters } from '../../../src/fleet/adapters/adapter-plan.ts';
import type { Adapter } from '../../../src/fleet/adapters/adapter-report.ts';
import { adapter } from '../../support/fleet-fixtures.ts';

const GIB = 2 ** 30;

function card(pciAddress: string, freeGib: number, more: Partial<GpuCard> = {}): GpuCard {
  const freeBytes = freeGib * GIB;
  return { pciAddress, vendor: 'nvidia', name: 'H200', totalBytes: 141 * GIB, freeBytes, ...more };
}

function plan(adapters: readonly Adapter[], options: Partial<PlanOptions> = {}) {
  return planAdapters(
    { adapters },
    {
      useSoftware: false,
      softwareMemoryBytes: 8 * GIB,
      cards: [],
      probe: async () => ({ adapters }),
      ...options,
    },
  );
}

const TWINS = [adapter('H200'), adapter('H200')];
const CARDS = [card('0000:81:00.0', 140), card('0000:c1:00.0', 100)];

describe('adapters of one name', () => {
  test('are each pinned to a card where a process so pinned sees it alone', async () => {
    const probed: unknown[] = [];
    const { used, unused } = await plan(TWINS, {
      cards: CARDS,
      probe: async (pin) => {
        probed.push(pin);
        return { adapters: [adapter('H200'), adapter('another')] };
      },
    });
    const pins = [{ DRI_PRIME: 'pci-0000_81_00_0!' }, { DRI_PRIME: 'pci-0000_c1_00_0!' }];
    expect(used.map(({ pin }) => pin)).toEqual(pins);
    expect(probed).toEqual(pins);
    expect(used.map(({ memory }) => memory.bytes)).toEqual([139.5 * GIB, 99.5 * GIB]);
    expect(unused).toEqual([]);
  });

  test.each([
    ['every process sees them all', TWINS, CARDS],
    ['a pinned process sees none', [], CARDS],
    ['no card is known', [TWINS[0]!], []],
    ['fewer cards are known than there are', [TWINS[0]!], CARDS.slice(1)],
  ])('are used as one where %s, and the other is said to be unused', async (_, seen, cards) => {
    const probe = async () => ({ adapters: seen });
    const { used, unused } = await plan(TWINS, { cards, probe });
    expect(used).toHaveLength(1);
    expect(used[0]).not.toHaveProperty('pin');
    expect(unused).toMatchObject([{ reason: expect.stringContaining('H200') }]);
  });

  test('are not told apart by a card of another name', async () => {
    const cards = [CARDS[0]!, card('0000:c1:00.0', 100, { name: 'H100' })];
    const { used } = await plan(TWINS, { cards, probe: async () => ({ adapters: [TWINS[0]!] }) });
    expect(used).toHaveLength(1);
  });
});

describe('the memory of an adapter', () => {
  test.each<[string, Adapter, Partial<PlanOptions>, unknown]>([
    [
      'is what is free on its card, less a reserve',
      adapter('H200'),
      { cards: [card('0000:81:00.0', 140)] },
      { bytes: 139.5 * GIB, basis: 'driver' },
    ],
    [
      'is that of the fullest card it may be',
      adapter('H200'),
      { cards: CARDS },
      { bytes: 99.5 * GIB, basis: 'driver' },
    ],
    [
      'is found by vendor where the system knows no name',
      adapter('Radeon', { vendor: 'amd' }),
      {
        cards: [
          { pciAddress: '0000:03:00.0', vendor: 'amd', totalBytes: 16 * GIB, freeBytes: 8 * GIB },
        ],
      },
      { bytes: 7.5 * GIB, basis: 'driver' },
    ],
    [
      'is one buffer where nothing is known of it',
      adapter('unknown'),
      { cards: CARDS },
      { bytes: 2 ** 23, basis: 'buffer' },
    ],
    [
      'is what the operator says',
      adapter('H200'),
      { cards: CARDS, memoryBytes: 64 * GIB },
      { bytes: 64 * GIB, basis: 'setting' },
    ],
    [
      'is a share of the machine’s where it is software',
      adapter('llvmpipe', { isSoftware: true }),
      { useSoftware: true },
      { bytes: 8 * GIB, basis: 'machine' },
    ],
  ])('%s', async (_, one, options, memory) => {
    expect((await plan([one], options)).used[0]?.memory).toEqual(memory);
  });

  test('of two software adapters is half of what there is for both', async () => {
    const both = ['llvmpipe', 'SwiftShader'].map((name) => adapter(name, { isSoftware: true }));
    const { used } = await plan([...both, adapter('H200')], { useSoftware: true });
    expect(used.map(({ memory }) => memory.bytes)).toEqual([4 * GIB, 4 * GIB, 2 ** 23]);
  });
});

test('software is not used unless it is allowed, and it is said why', async () => {
  const { used, unused } = await plan([adapter('llvmpipe', { isSoftware: true }), adapter('H200')]);
  expect(used.map((one) => one.adapter.name)).toEqual(['H200']);
  expect(unused).toMatchObject([
    { adapter: { name: 'llvmpipe' }, reason: expect.stringContaining('QCS_SOFTWARE_ADAPTERS') },
  ]);
});
