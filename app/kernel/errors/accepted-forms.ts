import { type Phrase, phrase } from './error-text.ts'

/** The forms of values in a URL, for details that say what is accepted. */
export const acceptedForms = {
  number: phrase('a number, for example 12.5'),
  boolean: phrase('true or false'),
  uuid: phrase('a UUID'),
  date: phrase('a date, for example 2024-02-29'),
  time: phrase('a time, for example 12:30:00'),
  instant: phrase('a date and time with an offset, for example 2024-02-29T12:00:00Z'),
  localTime: phrase('a date and time without an offset, for example 2024-02-29T12:00:00'),
  dateOrTime: phrase('a date, or a date and time, for example 2024-02-29T12:00:00Z'),
  integer: (min: number | string, max: number | string): Phrase =>
    phrase('an integer from {min} to {max}', { min, max }),
} as const
