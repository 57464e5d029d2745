/** Members of stored alerts that no decoder sets, which people take for fields of events. */

/** What rules test instead; an empty text: nothing does. */
const ELEMENTS: Readonly<Record<string, string>> = {
  hostname: '<hostname>',
  program_name: '<program_name>',
  location: '<location>',
  full_log: '<match>',
  'predecoder.hostname': '<hostname>',
  'predecoder.program_name': '<program_name>',
  'predecoder.timestamp': '',
  'agent.name': '<hostname>',
  'agent.ip': '<location>',
  'agent.id': '',
  'decoder.name': '<decoded_as>',
  'decoder.parent': '<decoded_as>',
  'rule.id': '<if_sid>',
  'rule.groups': '<if_group>',
  'rule.level': '<if_level>',
  'manager.name': '',
}

/** Returns the element of a rule that tests a member of stored alerts; an empty text if there is none, null if it is no such member. */
export function elementOfAlertMember(name: string): string | null {
  const lower = name.toLowerCase()
  return Object.hasOwn(ELEMENTS, lower) ? ELEMENTS[lower] : null
}
