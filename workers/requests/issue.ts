/** An error in one field, as plain data without text. It can cross threads; the texts in the caller's language are added at the end. */

/** Messages of the validation of requests. The server has more, each with a text in every language (`server/core/i18n/messages/en-US/fields.ts`). */
export type ValidationMessage =
  | 'required'
  | 'unknown'
  | 'type'
  | 'choice'
  | 'format'
  | 'too_short'
  | 'too_long'
  | 'too_many_bytes'
  | 'either'
  | 'too_small'
  | 'too_large'
  | 'too_few'
  | 'too_many'
  | 'duplicate'
  | 'too_deep'
  | 'too_many_members'
  | 'too_many_values'
  | 'too_many_names'
  | 'pattern'
  | 'invalid'

/** Expectations of the validation of requests that no schema says. The server has more (`server/core/i18n/messages/en-US/expected.ts`). */
export type ValidationExpectation = 'value' | 'distinct_entries'

/** In `expected`: stands for the text of this key. */
export interface Words<Key extends string = ValidationExpectation> {
  readonly words: Key
}

/** The texts of issues in one language. */
export interface IssueTexts<Message extends string = ValidationMessage> {
  readonly messages: Readonly<Record<Message, string>>
  readonly expected: Readonly<Record<string, string>>
}

/** @typeParam Message identifier of the text */
export interface FieldIssue<Message extends string = ValidationMessage> {
  /** As in `FieldError`. */
  readonly path: string
  readonly message: Message
  readonly params: TextParams
  /** Plain data; `Words`, alone or as a member, become texts. */
  readonly expected: unknown
}

export type TextParams = Readonly<Record<string, string | number>>

/** Maximum number of issues in one answer. A body with thousands of wrong entries usually repeats one mistake. */
export const ISSUES_LIMIT = 100
/** Maximum number of characters of a reported path. Names of unknown fields are chosen by the caller and may have any length. */
const PATH_LIMIT = 200

/** Returns an issue whose path is cut to `PATH_LIMIT`. */
export function issue<Message extends string>(path: string, message: Message, expected: unknown, params: TextParams = {}): FieldIssue<Message> {
  return { path: path.length > PATH_LIMIT ? `${path.slice(0, PATH_LIMIT)}…` : path, message, params, expected }
}

/** Appends one name to a JSON Pointer. */
export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A wrong field of a request, as the answer reports it. */
export interface FieldError {
  /** JSON Pointer into the body; `query/limit`, `params/id`, `headers/x-org-id` outside it. */
  readonly path: string
  readonly message: string
  /** What is accepted: a type, a limit, the allowed values, or words in the caller's language. */
  readonly expected: unknown
}

/** Adds the texts to issues. @param texts in the caller's language */
export function presentIssues<Message extends string>(issues: readonly FieldIssue<Message>[], texts: IssueTexts<Message>): FieldError[] {
  return issues
    .slice(0, ISSUES_LIMIT)
    .map(({ path, message, params, expected }) => ({ path, message: fillText(texts.messages[message], params), expected: spoken(expected, texts.expected) }))
}

function spoken(expected: unknown, texts: IssueTexts['expected']): unknown {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return expected
  if ('words' in expected) return texts[(expected as Words<string>).words]
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, spoken(value, texts)]))
}

/** Replaces `{name}` by the parameter of that name. Braces in a value are kept. */
export function fillText(text: string, params: TextParams): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(params, name) ? String(params[name]) : whole))
}
