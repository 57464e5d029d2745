/** The suffix of a list's compiled form, which is not part of its name (BEHAVIOUR.md#list-names). */
const COMPILED_SUFFIX = '.cdb'

/** Returns the name under which a list is registered. @param filename the name of its file, with or without `.cdb` */
export function registeredName(filename: string): string {
  const suffix = filename.indexOf(COMPILED_SUFFIX)
  return suffix < 0 ? filename : filename.slice(0, suffix)
}

/** Returns the registered name for a name in a rule, which may end in `.cdb`. */
export function nameInRule(written: string): string {
  return written.endsWith(COMPILED_SUFFIX) ? written.slice(0, -COMPILED_SUFFIX.length) : written
}
