import type { DiagnosticEntry } from '../entry.js'

/** Findings about a run rather than a file: limits, faults, sessions. */
export const ENGINE_DIAGNOSTICS = {
  engine_timeout: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'engine timeout',
      message: 'The analysis was stopped after {seconds} seconds.',
      hint: 'The analysis was stopped after {seconds} seconds.',
      doc: 'The analysis was stopped after {seconds} seconds.',
    },
    pt: {
      title: 'engine timeout',
      message: 'The analysis was stopped after {seconds} seconds.',
      hint: 'The analysis was stopped after {seconds} seconds.',
      doc: 'The analysis was stopped after {seconds} seconds.',
    },
  },
  engine_step_limit: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'engine step limit',
      message: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      hint: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      doc: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
    },
    pt: {
      title: 'engine step limit',
      message: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      hint: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      doc: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
    },
  },
  engine_memory_limit: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'engine memory limit',
      message: 'The analysis needed more than {limit} MB of memory and was stopped.',
      hint: 'The analysis needed more than {limit} MB of memory and was stopped.',
      doc: 'The analysis needed more than {limit} MB of memory and was stopped.',
    },
    pt: {
      title: 'engine memory limit',
      message: 'The analysis needed more than {limit} MB of memory and was stopped.',
      hint: 'The analysis needed more than {limit} MB of memory and was stopped.',
      doc: 'The analysis needed more than {limit} MB of memory and was stopped.',
    },
  },
  engine_internal_error: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'engine internal error',
      message: 'The analysis failed because of a fault in this service ({reference}).',
      hint: 'The analysis failed because of a fault in this service ({reference}).',
      doc: 'The analysis failed because of a fault in this service ({reference}).',
    },
    pt: {
      title: 'engine internal error',
      message: 'The analysis failed because of a fault in this service ({reference}).',
      hint: 'The analysis failed because of a fault in this service ({reference}).',
      doc: 'The analysis failed because of a fault in this service ({reference}).',
    },
  },
  ruleset_loaded: {
    severity: 'success',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'ruleset loaded',
      message: 'The ruleset loads: {rules} rules and {decoders} decoders.',
      hint: 'The ruleset loads: {rules} rules and {decoders} decoders.',
      doc: 'The ruleset loads: {rules} rules and {decoders} decoders.',
    },
    pt: {
      title: 'ruleset loaded',
      message: 'The ruleset loads: {rules} rules and {decoders} decoders.',
      hint: 'The ruleset loads: {rules} rules and {decoders} decoders.',
      doc: 'The ruleset loads: {rules} rules and {decoders} decoders.',
    },
  },
  session_refused: {
    severity: 'error',
    source: 'session',
    effect: 'refuse',
    engineNumbers: [],
    en: {
      title: 'session refused',
      message: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      hint: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      doc: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
    },
    pt: {
      title: 'session refused',
      message: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      hint: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      doc: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
    },
  },
  session_location_invalid: {
    severity: 'error',
    source: 'session',
    effect: 'refuse',
    engineNumbers: [1106],
    en: {
      title: 'session location invalid',
      message: 'The location "{value}" is not valid: "[" without "]".',
      hint: 'The location "{value}" is not valid: "[" without "]".',
      doc: 'The location "{value}" is not valid: "[" without "]".',
    },
    pt: {
      title: 'session location invalid',
      message: 'The location "{value}" is not valid: "[" without "]".',
      hint: 'The location "{value}" is not valid: "[" without "]".',
      doc: 'The location "{value}" is not valid: "[" without "]".',
    },
  },
  session_event_truncated: {
    severity: 'warning',
    source: 'session',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'session event truncated',
      message: 'The log has {length} bytes; only the first {limit} are read.',
      hint: 'The log has {length} bytes; only the first {limit} are read.',
      doc: 'The log has {length} bytes; only the first {limit} are read.',
    },
    pt: {
      title: 'session event truncated',
      message: 'The log has {length} bytes; only the first {limit} are read.',
      hint: 'The log has {length} bytes; only the first {limit} are read.',
      doc: 'The log has {length} bytes; only the first {limit} are read.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
