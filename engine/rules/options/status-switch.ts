/** `<status>` is a condition on a field of the event, and people take it for a switch. */

/** What people write to switch a rule on or off, or to say how mature it is. */
export const SWITCH_WORD =
  /^\^?(?:enabled?|disabled?|on|off|active|inactive|activated|deactivated|true|false|yes|no|experimental|stable|test|testing|production|draft|deprecated)\$?$/i
