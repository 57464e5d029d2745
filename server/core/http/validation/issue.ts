/** One invalid field of a request. Its text, in the caller's language, is one of `fieldTexts`. */
import { type FieldIssue as IssueOf, issue as issueOf, type TextParams, type Words } from '#requests'
import type { FieldExpectation, FieldMessage } from '../../i18n/translate.js'

export { pointer } from '#requests'
export type FieldIssue = IssueOf<FieldMessage>

/** What was expected, in words of `i18n/messages/<locale>/expected.ts`. */
export type InWords = Words<FieldExpectation>

/** Words, the allowed values, or a part of a JSON schema: names and numbers, which are the same in every language. A form that no schema has is said in words. */
export type Expected =
  | InWords
  | readonly (string | null)[]
  | null
  | (Readonly<Record<string, unknown>> & { readonly format?: InWords | 'base64' | 'date-time' | 'hostname'; readonly not?: InWords })

/** Creates an issue like the validator's, with any message that has texts. */
export const issue: (path: string, message: FieldMessage, expected: Expected, params?: TextParams) => FieldIssue = issueOf
