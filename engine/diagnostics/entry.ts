/** Languages of the texts. */
export const LOCALES = ['en-US', 'pt-BR'] as const

export type Locale = (typeof LOCALES)[number]

/** A value in every language: a missing one does not compile. */
export type Localized<T = string> = Readonly<Record<Locale, T>>

/** A value for a placeholder. A text is a name or a phrase (`phrases.ts`), or is there in each language. */
export type ParamValue = string | number | Localized

/** Severity of a diagnostic. An error makes Wazuh refuse the ruleset, log an error, or drop a rule. */
export type Severity = 'error' | 'warning' | 'info' | 'success'
/** In descending order. */
export const SEVERITY_ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2, success: 3 }

/** The part of the engine that reports a diagnostic. */
export type DiagnosticSource = 'xml' | 'rules' | 'decoders' | 'engine' | 'session' | 'filesystem'

/**
 * What Wazuh does about it: `refuse` = it loads nothing, `drop` = it drops the rule without an error, `ignore` = it ignores the element or uses a default and
 * continues, `crash` = it crashes or hangs, `none` = nothing.
 */
export type EngineEffect = 'refuse' | 'drop' | 'ignore' | 'crash' | 'none'

/** The texts of a code in one language. `{name}` in `message` and `hint` is a placeholder. */
export interface DiagnosticTexts {
  /** A short noun phrase. */
  readonly title: string
  /** One sentence: what is wrong here. */
  readonly message: string
  /** What to do. */
  readonly hint: string
  /** A paragraph for the reference: why it matters. */
  readonly doc: string
}

/** A text in all languages, in the order of `LOCALES`. A missing language does not compile. */
export type Translated = readonly [english: string, portuguese: string]

/** One code as it is declared. A missing text does not compile. */
export interface DiagnosticDeclaration extends Readonly<Record<keyof DiagnosticTexts, Translated>> {
  readonly severity: Severity
  /** Default: that of the area. */
  readonly source?: DiagnosticSource
  /** Default `none`. */
  readonly effect?: EngineEffect
  /** Numbers that Wazuh prints before its message, so that people find the code by their log. Default: none. */
  readonly engineNumbers?: readonly number[]
  /** Language-independent: XML, a pattern, a file name. */
  readonly example?: { readonly wrong: string; readonly right: string }
}

/** One code, with its defaults filled in. */
export interface DiagnosticEntry extends Required<Pick<DiagnosticDeclaration, 'severity' | 'source' | 'effect' | 'engineNumbers'>>, Pick<DiagnosticDeclaration, 'example'> {
  readonly texts: Localized<DiagnosticTexts>
}

/** The names in braces of a text. */
export type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never
