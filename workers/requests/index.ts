/**
 * What pooled threads and the server both need to read requests: JSON limits, validation by schema, the schemas of analysis requests. It is separate from
 * `#workers`, so that the command line, which reads no requests, does not load the validator.
 */
export type { BodyKind } from './analysis-request.js'
export { EVENT_BYTES, FILES_LIMIT, LOCATION_CHARACTERS, RULESET_BYTES, SESSION_ID_CHARACTERS } from './event-limits.js'
export { FORMAT_CHARACTERS, FORMATS, HTTP_URI_BEGINNING } from './formats.js'
export {
  type FieldError,
  type FieldIssue,
  ISSUES_LIMIT,
  issue,
  type IssueTexts,
  pointer,
  presentIssues,
  type TextParams,
  type ValidationExpectation,
  type ValidationMessage,
  type Words,
} from './issue.js'
export { DEPTH_LIMIT, MEMBERS_LIMIT, NAMES_LIMIT, overJsonLimit, SMALL_JSON_BYTES, VALUES_LIMIT } from './json-limits.js'
export { matches } from './prune.js'
export { ANY_KEY, type DeprecatedField, type JsonSchema, LISTS, prepareSchema, SINGLE, TABLES } from './prepare.js'
export { readRequest, type Refusal } from './read-request.js'
export type { LineError, LineTexts } from './read-line.js'
export {
  BATCH_HEAD,
  BATCH_INPUT,
  EXAMPLE_EVENT,
  EXAMPLE_FILE,
  EXAMPLE_HASH,
  LOGTEST_REQUEST,
  VALIDATION_REQUEST,
} from './schema.js'
export { type PrunedBytes, pruneBytes, validateBytes, type ValidatedBytes } from './validate-bytes.js'
export { type Validator, validatorFor } from './validator.js'
