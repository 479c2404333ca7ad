/** The command `qcs gen`: memory experiments and preparations of T states in Stim's circuit format. */
import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';
import { OptionsConflictError } from './errors.ts';
import { count, number } from './option-parsers.ts';

/** Options of the command; those of noise have the names of `stim gen`. */
interface GenerateOptions {
  readonly code: string;
  readonly task: string;
  readonly distance: number;
  readonly rounds: number;
  readonly after_clifford_depolarization: number;
  readonly before_round_data_depolarization: number;
  readonly before_measure_flip_probability: number;
  readonly after_reset_flip_probability: number;
  readonly idle_depolarization: number;
  readonly after_t_phase_flip_probability: number;
}

/** Distance of the largest code: its circuit has about a hundred thousand qubits. */
const MAX_DISTANCE = 200;
const MAX_ROUNDS = 1_000_000_000;

/** Adds the command to the program. */
export function addGenerateCommand(program: Command, io: CommandIo): void {
  program
    .command('gen')
    .description(
      "print a memory experiment of a code or a preparation of T states in Stim's format, as `stim gen` does",
    )
    .requiredOption(
      '--code <code>',
      'repetition_code, surface_code, color_code, reed_muller_code or honeycomb_code',
    )
    .requiredOption(
      '--task <task>',
      'memory of repetition_code and honeycomb_code; rotated_memory_x, rotated_memory_z, unrotated_memory_x or unrotated_memory_z of surface_code; memory_xyz or cultivation of color_code; distillation of reed_muller_code',
    )
    .requiredOption('--distance <d>', 'of the code', count(MAX_DISTANCE))
    .requiredOption('--rounds <n>', 'how often the checks are measured', count(MAX_ROUNDS))
    .option('--after_clifford_depolarization <p>', 'noise after gates', number(0, 1), 0)
    .option(
      '--before_round_data_depolarization <p>',
      'noise of data qubits before a round',
      number(0, 1),
      0,
    )
    .option('--before_measure_flip_probability <p>', 'errors of measurements', number(0, 1), 0)
    .option('--after_reset_flip_probability <p>', 'errors of resets', number(0, 1), 0)
    .option(
      '--idle_depolarization <p>',
      'noise of idle qubits in each layer (cultivation, distillation)',
      number(0, 1),
      0,
    )
    .option(
      '--after_t_phase_flip_probability <p>',
      'Z after T gates (cultivation, distillation)',
      number(0, 1),
      0,
    )
    .addHelpText(
      'after',
      '\nFor example:\n\n  qcs gen --code surface_code --task rotated_memory_x --distance 3 --rounds 3 \\\n    --after_clifford_depolarization 0.001 > memory.stim\n  qcs run memory.stim --target qvm',
    )
    .action(async (options: GenerateOptions) => {
      const { generateStim } = await import('../circuit/stim/generate/generate-stim.ts');
      const generated = generateStim({
        ...options,
        noise: {
          afterCliffordDepolarization: options.after_clifford_depolarization,
          beforeRoundDataDepolarization: options.before_round_data_depolarization,
          beforeMeasureFlipProbability: options.before_measure_flip_probability,
          afterResetFlipProbability: options.after_reset_flip_probability,
          idleDepolarization: options.idle_depolarization,
          afterTPhaseFlipProbability: options.after_t_phase_flip_probability,
        },
      });
      if ('problem' in generated) throw new OptionsConflictError(generated.problem);
      io.out.write(generated.text);
    });
}
