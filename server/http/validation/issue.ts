/** One invalid field of a request. Its text, in the caller's language, is one of `fieldTexts`. */
import { type FieldIssue as IssueOf, issue as issueOf, type TextParams } from '#requests'
import type { FieldMessage } from '../../i18n/translate.js'

export { pointer } from '#requests'
export type FieldIssue = IssueOf<FieldMessage>

/** Creates an issue like the validator's, with any message that has texts. */
export const issue: (path: string, message: FieldMessage, expected: unknown, params?: TextParams) => FieldIssue = issueOf
