/** Errors of invalid calls of the command line, in English: a message and a hint, printed as one line, `detection-content logtest: <message>. <hint>`. */

/** The default hint. */
const seeHelp = 'See {call} --help.'

export const usage = {
  command_unknown: { message: 'unknown command {command}', hint: 'Commands: {commands}.' },
  command_misspelt: { message: 'unknown command {command}', hint: 'Did you mean {near}?' },
  option_before_command: { message: 'unknown option {option}', hint: 'Write the command first: {call} COMMAND.' },
  option_unknown: { message: 'unknown option {option}', hint: seeHelp },
  option_of_wazuh: { message: 'unknown option {option}', hint: 'What it does in wazuh-logtest, --{here} does here.' },
  option_misspelt: { message: 'unknown option {option}', hint: 'Did you mean --{near}?' },
  option_without_value: { message: 'option {option} <value> argument missing', hint: seeHelp },
  option_value_ambiguous: { message: 'option {option} argument is ambiguous', hint: seeHelp },
  option_takes_no_value: { message: 'option {option} does not take an argument', hint: seeHelp },
  value_not_choice: { message: '--{option} can\'t be "{value}"', hint: 'It must be one of: {choices}.' },
  output_without_file: { message: '--output {format} names no file', hint: 'Write --output {format}=FILE.' },
  value_not_number: { message: '--{option} can\'t be "{value}"', hint: 'It must be a number of at least {min}.' },
  value_not_rule_id: { message: '--{option} can\'t be "{value}"', hint: 'It must be the id of a rule.' },
  value_not_unit_test: { message: '--unit-test can\'t be "{value}"', hint: 'It must be RULE:LEVEL:DECODER, such as 5710:5:sshd.' },
  operand_unexpected: { message: 'unexpected argument "{operand}"', hint: seeHelp },
  session_of_json_lines: { message: '--session cannot be combined with --jsonl', hint: 'With --jsonl each line can have a "session_id".' },
  unit_test_of_json_lines: { message: '--unit-test cannot be combined with --jsonl', hint: 'It is for plain lines.' },
  options_both: { message: '--{first} and --{second} cannot be combined', hint: seeHelp },
  option_needs: { message: '--{option} needs --{other}', hint: seeHelp },
  stores_both: { message: '--data-dir and --mongodb-url cannot be combined', hint: seeHelp },

  content_missing: { message: 'nothing to validate', hint: 'Name files or folders, or --custom PATH, or --ruleset DIR.' },
  code_missing: { message: 'no code', hint: 'Name the code of a diagnostic, such as rule_parent_missing.' },
  code_unknown: { message: 'there is no diagnostic {code}', hint: 'schema --diagnostics prints all of them.' },
  code_misspelt: { message: 'there is no diagnostic {code}', hint: 'Did you mean {near}?' },
  transport_missing: { message: 'no transport', hint: 'Editors call it with --stdio.' },
  cases_missing: { message: 'no test files', hint: 'Name suites, or folders with suites.' },
  pattern_missing: { message: 'no pattern', hint: "Usage: regex --engine pcre2 'PATTERN' 'INPUT'." },
  events_missing: { message: 'no events', hint: 'Name a file with events, or {stdin} for standard input.' },
  backup_missing: { message: 'no file', hint: 'Name one file.' },
  backups_several: { message: 'more than one file', hint: 'Name one file.' },

  file_not_found: { message: 'no such file: {file}', hint: seeHelp },
  file_is_folder: { message: '{file} is a folder', hint: 'Name the files in it.' },
  file_too_large: { message: '{file} is larger than {limit} bytes', hint: seeHelp },
  file_not_content: {
    message: '{file} contains no rules, decoders or list',
    hint: 'Each line of a list is key:value or key:; every file in a folder named lists is read as a list.',
  },
  folder_without_content: { message: '{folder} contains no rules, decoders or lists', hint: seeHelp },
  folder_without_cases: { message: '{folder} contains no .ini or .json files', hint: 'Name another folder, or accept it with --allow-empty.' },
  folder_without_ruleset: { message: '{folder} contains no ruleset', hint: 'A ruleset folder contains decoders/, rules/ or lists/.' },
  folder_without_store: { message: 'there is no embedded store in {folder}', hint: seeHelp },
  events_none: { message: 'the input has no events', hint: seeHelp },
  events_refused: { message: 'no event of the input can be run', hint: 'Wazuh refuses a "location" that begins with "[" and has no "]".' },
} as const satisfies Record<string, { readonly message: string; readonly hint: string }>
