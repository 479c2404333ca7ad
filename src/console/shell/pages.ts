/**
 * Pages of the console, in the order of the links. The modules of a page are loaded when it is opened first. Apart from
 * the frame, which cannot be loaded without a document.
 */
import type { ComponentType } from 'preact';

export interface Page {
  /** First part of the address. */
  readonly name: string;
  readonly title: string;
  /** Loads the page. */
  readonly load: () => Promise<ComponentType>;
}

export const PAGES: readonly Page[] = [
  {
    name: '',
    title: 'Start',
    load: async () => (await import('../start/start-page.tsx')).StartPage,
  },
  {
    name: 'composer',
    title: 'Composer',
    load: async () => (await import('../composer/composer-page.tsx')).ComposerPage,
  },
  {
    name: 'jobs',
    title: 'Jobs',
    load: async () => (await import('../jobs/jobs-page.tsx')).JobsPage,
  },
  {
    name: 'sweeps',
    title: 'Sweeps',
    load: async () => (await import('../sweeps/sweeps-page.tsx')).SweepsPage,
  },
  {
    name: 'experiments',
    title: 'Experiments',
    load: async () => (await import('../experiments/experiments-page.tsx')).ExperimentsPage,
  },
  {
    name: 'fleet',
    title: 'Fleet',
    load: async () => (await import('../fleet/fleet-page.tsx')).FleetPage,
  },
  {
    name: 'demo',
    title: 'Demo',
    load: async () => (await import('../demo/demo-page.tsx')).DemoPage,
  },
  {
    name: 'account',
    title: 'Account',
    load: async () => (await import('../account/account-page.tsx')).AccountPage,
  },
];
