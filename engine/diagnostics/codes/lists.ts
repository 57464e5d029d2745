import type { DiagnosticEntry } from '../entry.js'

/** CDB lists (engine-rules.md 5). */
export const LISTS_DIAGNOSTICS = {
  list_line_invalid: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'list line invalid',
      message: 'Line {line} of the list {list} has no key and value, so it is skipped.',
      hint: 'Line {line} of the list {list} has no key and value, so it is skipped.',
      doc: 'Line {line} of the list {list} has no key and value, so it is skipped.',
    },
    pt: {
      title: 'list line invalid',
      message: 'Line {line} of the list {list} has no key and value, so it is skipped.',
      hint: 'Line {line} of the list {list} has no key and value, so it is skipped.',
      doc: 'Line {line} of the list {list} has no key and value, so it is skipped.',
    },
  },
  list_key_duplicate: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'list key duplicate',
      message: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
      hint: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
      doc: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
    },
    pt: {
      title: 'list key duplicate',
      message: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
      hint: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
      doc: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
    },
  },
  list_key_whitespace: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'list key whitespace',
      message: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
      hint: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
      doc: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
    },
    pt: {
      title: 'list key whitespace',
      message: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
      hint: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
      doc: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
    },
  },
  list_cidr_key: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'list cidr key',
      message: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      hint: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      doc: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
    },
    pt: {
      title: 'list cidr key',
      message: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      hint: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      doc: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
    },
  },
  list_unused: {
    severity: 'info',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'list unused',
      message: 'No rule uses the list {list}.',
      hint: 'No rule uses the list {list}.',
      doc: 'No rule uses the list {list}.',
    },
    pt: {
      title: 'list unused',
      message: 'No rule uses the list {list}.',
      hint: 'No rule uses the list {list}.',
      doc: 'No rule uses the list {list}.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
