import { MemoryJobStore } from '../support/memory-job-store.ts';
import { describeJobStore } from './job-store-suite.ts';

describeJobStore('memory', () => ({ store: new MemoryJobStore(), close: () => {} }));
