/** What Wazuh appends to the name of a list for its compiled form, and takes for no part of the name (BEHAVIOUR.md#list-names). */
const COMPILED_SUFFIX = '.cdb'

/** The name that a list is registered by. @param filename as its file is called, with or without `.cdb` */
export function registeredName(filename: string): string {
  const suffix = filename.indexOf(COMPILED_SUFFIX)
  return suffix < 0 ? filename : filename.slice(0, suffix)
}

/** The registered name that a rule means: it may write it with or without `.cdb`. */
export function nameInRule(written: string): string {
  return written.endsWith(COMPILED_SUFFIX) ? written.slice(0, -COMPILED_SUFFIX.length) : written
}
