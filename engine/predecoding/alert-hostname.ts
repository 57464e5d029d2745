/** `Jan  5 10:11:12 host …`, by the bytes that Wazuh tests when it writes an alert. `\s` would also end the host at the byte 0xA0, of `à` for example. */
const CLASSIC = /^[A-Z][a-z][a-z] [ 0-3]\d \d\d:\d\d:\d\d ([^ \t-\r]+)/

/**
 * Returns the host that an alert of Wazuh shows as `predecoder.hostname`; undefined: none. It is read again from the received line, so it is not always the host
 * that rules test (BEHAVIOUR.md#host-of-an-alert).
 */
export function alertHostname(fullLog: string): string | undefined {
  return CLASSIC.exec(fullLog)?.[1]
}
