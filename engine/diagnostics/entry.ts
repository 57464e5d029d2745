/** How grave a finding is. An error is something that makes Wazuh refuse the ruleset, log an error, or lose a rule. */
export type Severity = 'error' | 'warning' | 'info' | 'success'
/** The worst first. */
export const SEVERITY_ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2, success: 3 }

/** The part that a finding comes from. */
export type DiagnosticSource = 'xml' | 'rules' | 'decoders' | 'engine' | 'session' | 'filesystem'

/**
 * What the reference engine does about it: `refuse` = it loads nothing, `drop` = the rule is left out without an error,
 * `ignore` = the piece is ignored (or a default taken) and loading goes on, `crash` = it crashes or hangs, `none` = it says and does nothing
 * special.
 */
export type EngineEffect = 'refuse' | 'drop' | 'ignore' | 'crash' | 'none'

/** The texts of a code in one language. `{name}` in `message` and `hint` is a placeholder. */
export interface DiagnosticTexts {
  /** A short noun phrase. */
  readonly title: string
  /** One sentence: what is wrong here. */
  readonly message: string
  /** What to do, and what Wazuh does meanwhile. */
  readonly hint: string
  /** A paragraph for the reference: why it matters. */
  readonly doc: string
}

/** One code. A language or text that is missing does not compile. */
export interface DiagnosticEntry {
  readonly severity: Severity
  readonly source: DiagnosticSource
  readonly effect: EngineEffect
  /** Numbers that Wazuh prints before its own message, so that people find the code by what their log shows. */
  readonly engineNumbers: readonly number[]
  /** The same in every language: XML, a pattern, a file name. */
  readonly example?: { readonly wrong: string; readonly right: string }
  readonly en: DiagnosticTexts
  readonly pt: DiagnosticTexts
}

/** The names in braces of a text. */
export type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never
