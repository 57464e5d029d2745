import type { DiagnosticEntry } from '../entry.js'

/** Findings about files as such: names, order, size. */
export const FILES_DIAGNOSTICS = {
  file_unreadable: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'ignore',
    engineNumbers: [1103],
    en: {
      title: 'file unreadable',
      message: 'The file {file} cannot be read, so nothing of it is loaded.',
      hint: 'The file {file} cannot be read, so nothing of it is loaded.',
      doc: 'The file {file} cannot be read, so nothing of it is loaded.',
    },
    pt: {
      title: 'file unreadable',
      message: 'The file {file} cannot be read, so nothing of it is loaded.',
      hint: 'The file {file} cannot be read, so nothing of it is loaded.',
      doc: 'The file {file} cannot be read, so nothing of it is loaded.',
    },
  },
  file_empty: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'file empty',
      message: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
      hint: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
      doc: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
    },
    pt: {
      title: 'file empty',
      message: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
      hint: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
      doc: 'The file is empty (zero bytes) and adds nothing to the ruleset.',
    },
  },
  file_name_load_order: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'file name load order',
      message: '{file} loads before {other}, whose content it needs.',
      hint: '{file} loads before {other}, whose content it needs.',
      doc: '{file} loads before {other}, whose content it needs.',
    },
    pt: {
      title: 'file name load order',
      message: '{file} loads before {other}, whose content it needs.',
      hint: '{file} loads before {other}, whose content it needs.',
      doc: '{file} loads before {other}, whose content it needs.',
    },
  },
  file_duplicate_name: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'file duplicate name',
      message: 'Two files are called {file}; which of them loads first is not defined.',
      hint: 'Two files are called {file}; which of them loads first is not defined.',
      doc: 'Two files are called {file}; which of them loads first is not defined.',
    },
    pt: {
      title: 'file duplicate name',
      message: 'Two files are called {file}; which of them loads first is not defined.',
      hint: 'Two files are called {file}; which of them loads first is not defined.',
      doc: 'Two files are called {file}; which of them loads first is not defined.',
    },
  },
  file_too_large: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'file too large',
      message: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
      hint: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
      doc: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
    },
    pt: {
      title: 'file too large',
      message: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
      hint: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
      doc: 'The file has {size} bytes, more than the {limit} that are sensible for one file.',
    },
  },
  file_kind_mismatch: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'file kind mismatch',
      message: 'This file was given as {kind}, but its content looks like {found}.',
      hint: 'This file was given as {kind}, but its content looks like {found}.',
      doc: 'This file was given as {kind}, but its content looks like {found}.',
    },
    pt: {
      title: 'file kind mismatch',
      message: 'This file was given as {kind}, but its content looks like {found}.',
      hint: 'This file was given as {kind}, but its content looks like {found}.',
      doc: 'This file was given as {kind}, but its content looks like {found}.',
    },
  },
  list_file_missing: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'ignore',
    engineNumbers: [1103],
    en: {
      title: 'list file missing',
      message: 'The text file of the list {list} is missing, so the list is not registered.',
      hint: 'The text file of the list {list} is missing, so the list is not registered.',
      doc: 'The text file of the list {list} is missing, so the list is not registered.',
    },
    pt: {
      title: 'list file missing',
      message: 'The text file of the list {list} is missing, so the list is not registered.',
      hint: 'The text file of the list {list} is missing, so the list is not registered.',
      doc: 'The text file of the list {list} is missing, so the list is not registered.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
