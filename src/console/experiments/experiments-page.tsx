/** Experiments: logical error rates of circuits. The page sends one; its record among the jobs shows the counts. */
import '../setup/setup.css';
import './experiments.css';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ApiPanel } from '../shell/api-panel.tsx';
import { FieldError } from '../shell/faults.ts';
import { useAct } from '../shell/forms.tsx';
import { Heading, NeedsKey, Problem } from '../shell/notice.tsx';
import { goTo, hashOf } from '../shell/route.ts';
import { client } from '../shell/session.ts';
import { type ExperimentDraft, submissionOf } from './draft.ts';
import { EXAMPLES } from './examples.ts';
import { LimitsCard, TasksCard } from './setup-view.tsx';

export function ExperimentsPage() {
  const draft = useSignal<ExperimentDraft>(EXAMPLES[0].draft);
  const { error, isBusy, run } = useAct();
  const submission = useMemo(() => submissionOrError(draft.value), [draft.value]);
  const send = async () => {
    if (submission instanceof FieldError) throw submission;
    const { experiment_id: id } = await client.value.experiments.submit(submission);
    goTo(hashOf(['jobs', id]));
  };
  const setup = {
    draft: draft.value,
    error,
    onChange: (next: ExperimentDraft) => {
      draft.value = next;
    },
  };
  return (
    <>
      <Heading
        title="Experiments"
        lede="Find logical error rates: the service samples circuits with noise, decodes the shots, and counts the errors."
      >
        <p class="small">
          <a href={hashOf(['jobs'], { kind: 'experiment' })}>Experiments that were sent</a>
        </p>
      </Heading>
      <div class="setup-page experiment">
        <form
          class="setup"
          aria-label="The experiment"
          onSubmit={(event) => {
            event.preventDefault();
            run(send);
          }}
        >
          <TasksCard {...setup} />
          <LimitsCard {...setup} />
          <div class="card go">
            {error instanceof FieldError ? (
              <p class="notice bad" role="alert">
                The experiment was not sent: see the fields that are marked.
              </p>
            ) : (
              <Problem error={error} />
            )}
            <NeedsKey to="with the scopes read and circuits to run an experiment">
              <p class="actions">
                <button type="submit" class="primary" disabled={isBusy}>
                  {isBusy ? 'Sending …' : 'Run the experiment'}
                </button>
              </p>
            </NeedsKey>
          </div>
        </form>
        {!(submission instanceof FieldError) && (
          <ApiPanel
            call={{ route: 'POST /quantum/experiments', body: submission }}
            title="The experiment by HTTP"
          />
        )}
      </div>
    </>
  );
}

function submissionOrError(draft: ExperimentDraft) {
  try {
    return submissionOf(draft);
  } catch (error) {
    if (error instanceof FieldError) return error;
    throw error;
  }
}
