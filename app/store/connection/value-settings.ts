/**
 * The settings of a session that decide in which form the database writes and reads values. A database or a role may have
 * other defaults.
 */
export const valueSettings = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
} as const
