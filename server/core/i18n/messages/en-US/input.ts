/** Errors in the input of a command, in English: a line of JSON, a case in a file. */
export const lines = {
  /** The reason is the message of the JSON parser. */
  invalid_json: '{reason}',
  line_too_long: 'the line is longer than {limit} bytes',
  line_not_object: 'the line is not an object',
  event_not_object: 'event {number} is not an object',
  file_not_object: 'file {number} is not an object',
  not_text: '"{member}" is not a text',
  not_list: '"{member}" is not a list',
  not_choice: '"{member}" must be one of {choices}',
  too_long: '"{member}" is longer than {limit} characters',
  line_event_not_text: '"event" of the line is not a text',
  event_not_text: '"event" of event {number} is not a text',
  events_missing: 'the line has neither "event" nor "events"',
  record_of_wazuh: 'the line is a line of archives.json or alerts.json; --unwrap runs the log in it',
  record_without_log: 'the line is a line of archives.json or alerts.json, and the log that arrived is not in it',
  events_both: 'the line has both "event" and "events"',
  file_member_not_text: '"{member}" of file {number} is not a text',
  file_kind: '"kind" of file {number} must be one of {choices}',
  flags: '"substrings" and "case_sensitive" must be true or false',
} as const satisfies Record<string, string>

export const cases = {
  /** The name of a case that cannot be read. */
  name: 'line {line}',
  line_unread: 'not a section, a comment or a key (log N pass, log N fail, rule, alert, decoder)',
  clock_misplaced: 'the clock ("; now = …") must be an ISO time with a zone, such as 2026-01-05T22:30:00-03:00, above a section',
  section_empty: 'the section "{section}" has no event and tests nothing',
  not_json: 'not JSON: {reason}',
  list_missing: 'the file has no list "cases"',
  not_object: 'the case is not an object',
  not_text: '"{member}" is not a text',
  not_text_list: '"{member}" is not a list of texts',
  not_rule_id: '"{member}" is not a text (rule ids are texts)',
  not_choice: '"{member}" is not one of {choices}',
  not_events: '"{member}" is not a list of {form}',
  not_number: '"{member}" is not a number',
  not_flag: '"{member}" is not true or false',
  not_fields: '"{member}" is not an object of texts',
  not_time: '"{member}" is not an ISO time with a zone, such as 2026-01-05T22:30:00-03:00',
  name_missing: 'the case has no "name"',
  member_unknown: 'a case has no "{member}"',
  member_misspelt: 'a case has no "{member}"; did you mean "{near}"?',
  event_missing: 'the case has neither "event_text" nor "events"',
  events_both: 'the case has both "event_text" and "events"',
  events_backwards: 'the seconds "at" of "events" decrease',
} as const satisfies Record<string, string>

/** Remarks about a case that can be run. */
export const remarks = {
  member_ignored: 'a case has no "{member}", so it is ignored',
  clock_of_case: 'the result depends on the time of the run, because a rule with <time> or <weekday> was tried; set the clock of the case: "now": "2026-01-05T22:30:00-03:00"',
  clock_of_section:
    'the result depends on the time of the run, because a rule with <time> or <weekday> was tried; set the clock by a line above the section: ; now = 2026-01-05T22:30:00-03:00',
} as const satisfies Record<string, string>
