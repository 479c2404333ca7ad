/** Classical classifiers, published for comparison beside a quantum one. */
import type { Fit } from './decision.ts';
import { fitLinearDiscriminant } from './linear-discriminant.ts';
import { fitLogisticRegression } from './logistic-regression.ts';
import { onStandardised } from './standardised.ts';
import { fitSupportVectors } from './support-vectors.ts';

/** A named classifier, with the feature scaling that it needs. */
export interface Baseline {
  readonly id: 'lda' | 'logistic-regression' | 'logistic-regression-standardised' | 'svc-rbf';
  readonly name: string;
  readonly fit: Fit;
}

/** Each takes raw features. */
export const BASELINES: readonly Baseline[] = [
  { id: 'lda', name: 'Linear discriminant analysis', fit: fitLinearDiscriminant },
  {
    id: 'logistic-regression',
    name: 'Logistic regression, L2, C = 1',
    fit: fitLogisticRegression,
  },
  {
    id: 'logistic-regression-standardised',
    name: 'Logistic regression, L2, C = 1, standardised features',
    fit: onStandardised(fitLogisticRegression),
  },
  {
    id: 'svc-rbf',
    name: 'Support vectors, Gaussian kernel, C = 1, standardised features',
    fit: onStandardised(fitSupportVectors),
  },
];
