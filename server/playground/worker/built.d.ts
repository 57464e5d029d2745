/** Modules that the build makes (`.build/playground.mjs`). */

declare module 'playground:reference' {
  import type { SourceFile } from '#engine'

  /** The files of the reference ruleset. */
  const files: readonly SourceFile[]
  export default files
}

declare module 'playground:texts/*' {
  /** By code of a diagnostic: its texts in one language. */
  const texts: Readonly<Record<string, import('#engine').DiagnosticTexts>>
  export default texts
}
