/** What is wrong with a call of the command line, in English: half a sentence, and a hint. Both stand on one line, `detection-content logtest: <message>. <hint>`. */

/** Where there is nothing better to say. */
const seeHelp = 'See {call} --help.'

export const usage = {
  command_unknown: { message: 'unknown command {command}', hint: 'Commands: {commands}.' },
  command_misspelt: { message: 'unknown command {command}', hint: 'Did you mean {near}?' },
  option_before_command: { message: 'unknown option {option}', hint: 'A command comes first: {call} COMMAND.' },
  option_unknown: { message: 'unknown option {option}', hint: seeHelp },
  option_misspelt: { message: 'unknown option {option}', hint: 'Did you mean --{near}?' },
  option_without_value: { message: 'option {option} <value> argument missing', hint: seeHelp },
  option_value_ambiguous: { message: 'option {option} argument is ambiguous', hint: seeHelp },
  option_takes_no_value: { message: 'option {option} does not take an argument', hint: seeHelp },
  value_not_choice: { message: '--{option} can\'t be "{value}"', hint: 'It is one of: {choices}.' },
  value_not_number: { message: '--{option} can\'t be "{value}"', hint: 'It is a number from {least} on.' },
  value_not_rule_id: { message: '--{option} can\'t be "{value}"', hint: 'It is the id of a rule.' },
  operand_unexpected: { message: 'it takes no "{operand}"', hint: seeHelp },
  session_of_json_lines: { message: '--session is for plain lines', hint: 'In --jsonl a line says its "session_id".' },
  stores_both: { message: '--data-dir and --mongodb-url exclude one another', hint: seeHelp },

  content_missing: { message: 'nothing to validate', hint: 'Name files or folders, or --custom PATH, or --ruleset DIR.' },
  cases_missing: { message: 'no test files', hint: 'Name suites, or folders with suites.' },
  pattern_missing: { message: 'no pattern', hint: "Call it as: regex --engine pcre2 'PATTERN' 'INPUT'." },
  events_missing: { message: 'no events', hint: 'Name a file with events, or {stdin} for standard input.' },
  backup_missing: { message: 'no file', hint: 'Name one file.' },
  backups_several: { message: 'more than one file', hint: 'Name one file.' },

  file_not_found: { message: 'no such file: {file}', hint: seeHelp },
  file_is_folder: { message: '{file} is a folder', hint: 'Name the files in it.' },
  file_too_large: { message: '{file} is larger than {limit} bytes', hint: seeHelp },
  file_not_content: { message: '{file} holds no rules, decoders or list', hint: 'Each line of a list is key:value or key:; any file in a folder called lists is taken for one.' },
  folder_without_content: { message: '{folder}: no rules, decoders or lists in it', hint: seeHelp },
  folder_without_cases: { message: '{folder}: no .ini or .json files in it', hint: 'Name another folder, or accept it with --allow-empty.' },
  folder_without_ruleset: { message: '{folder}: no ruleset there', hint: 'A ruleset folder holds decoders/, rules/ or lists/.' },
  folder_without_store: { message: 'there is no embedded store in {folder}', hint: seeHelp },
  events_none: { message: 'no events in it', hint: seeHelp },
  events_refused: { message: 'no event in it can be run', hint: 'Wazuh refuses a "location" that begins with "[" and has no "]".' },
} as const satisfies Record<string, { readonly message: string; readonly hint: string }>
