/** The levels from which a default installation acts on an event. */

/** `log_alert_level`. */
export const LOG_ALERT_LEVEL = 3

/** `email_alert_level`. */
export const EMAIL_ALERT_LEVEL = 12
