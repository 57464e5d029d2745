/** The entry of the grading of cases by mutants. */
export type { FailedBefore, MutantRow, MutantStatus, MutationGrade, MutationOptions, MutationSummary } from './grade.js'
export { gradeMutants, MutationGrader, STEPS_OF_ALL, STEPS_OF_MUTANT, summarizeMutants } from './grade.js'
export { type MutationOperator, OPERATORS } from './mutant.js'
export type { Proof } from './equivalence.js'
