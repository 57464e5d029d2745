/** `Jan  5 10:11:12 host …`, by the bytes that Wazuh tests when it writes an alert. */
const CLASSIC = /^[A-Z][a-z][a-z] [ 0-3]\d \d\d:\d\d:\d\d ([^\s]+)/

/**
 * Returns the host that an alert of Wazuh shows as `predecoder.hostname`; undefined: none. It is read again from the received line, so it is not always the host
 * that rules test (BEHAVIOUR.md#host-of-an-alert).
 */
export function alertHostname(fullLog: string): string | undefined {
  return CLASSIC.exec(fullLog)?.[1]
}
