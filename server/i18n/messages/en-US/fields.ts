/** What is wrong with a field, in English. */
export const fields = {
  required: 'is required',
  unknown: 'is not a field of this object',
  type: 'must be of the type {type}',
  choice: 'must be one of the allowed values',
  format: 'is not a valid {format}',
  too_short: 'must have at least {limit} characters',
  too_long: 'must have at most {limit} characters',
  too_small: 'must be at least {limit}',
  too_large: 'must be at most {limit}',
  too_few: 'must have at least {limit} entries',
  too_many: 'must have at most {limit} entries',
  duplicate: 'must not hold an entry twice',
  pattern: 'does not have the expected form',
  invalid: 'is not valid',
} as const
