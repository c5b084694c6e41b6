import Joi from 'joi'
import { didYouMean } from './accepted-names.ts'

/** The forms of values, by key; null for any value. */
export type Forms = Readonly<Record<string, Joi.Schema | null>>

/** A part of a value that does not have its form: the path to it, and a sentence. */
interface FormFault {
  readonly path: readonly string[]
  readonly message: string
}

type Fail = (member: string, message: string) => void

/**
 * Reports the values that do not have the form of their key, and returns the object without them, so that its readers
 * find no value of another kind.
 */
export function dropMalformed<T extends object>(values: T, forms: Forms, fail: Fail): T {
  const wellFormed = Object.entries(values).filter(([key, value]) => {
    const faults = value === undefined ? [] : formFaults(forms[key], value)
    for (const { path, message } of faults) fail([key, ...path].join('.'), message)
    return faults.length === 0
  })
  return Object.fromEntries(wellFormed) as T
}

/** The first fault of each part of a value. */
export function formFaults(form: Joi.Schema | null | undefined, value: unknown): readonly FormFault[] {
  const details = form?.validate(value, options).error?.details ?? []
  const faults = new Map<string, FormFault>()
  for (const detail of details) {
    const path = detail.path.map(String)
    const parent = path.slice(0, -1)
    const fault =
      detail.type === 'object.unknown'
        ? {
            path: parent,
            message: unknownKey(path.at(-1) as string, keysAt(form?.describe() as Description | undefined, parent)),
          }
        : { path, message: `It ${detail.message}.` }
    if (!faults.has(path.join('.'))) faults.set(path.join('.'), fault)
  }
  return [...faults.values()]
}

/** The sentence about a key of an object that is not one of the accepted keys. */
export function unknownKey(name: string, accepted: readonly string[]): string {
  return `'${name}' is not one of its keys. Accepted: ${accepted.join(', ')}.${didYouMean(name, accepted)}`
}

/** The members of `describe()` of Joi that lead to other forms. */
interface Description {
  readonly keys?: Readonly<Record<string, Description>>
  readonly patterns?: readonly { readonly rule: Description }[]
  readonly items?: readonly Description[]
  readonly matches?: readonly { readonly schema: Description }[]
}

/** The keys that the form of a part accepts. */
function keysAt(form: Description = {}, path: readonly string[]): string[] {
  const { keys = {}, patterns = [], items = [], matches = [] } = form
  const [name, ...rest] = path
  const inner = name === undefined ? [] : [keys[name] ?? {}, ...patterns.map(({ rule }) => rule), ...items]
  return [
    ...(name === undefined ? Object.keys(keys) : inner.flatMap((one) => keysAt(one, rest))),
    ...matches.flatMap(({ schema }) => keysAt(schema, path)),
  ]
}

/** The text of all faults of a form: `Joi.object().messages(formText('is a paginator'))`, for `It is a paginator.` */
export function formText(text: string): Joi.LanguageMessages {
  return { [language]: { '*': text.replaceAll('{', '\\{') } } as unknown as Joi.LanguageMessages
}

/** Joi prefers the messages of a language, even for all codes, to those of a code without a language. */
const language = 'form'

const options: Joi.ValidationOptions = {
  abortEarly: false,
  convert: false,
  errors: { label: false, language, wrap: { array: false } },
  messages: parseTexts({
    'any.required': 'is missing',
    'alternatives.types': 'is one of {{#types}}',
    'array.base': 'is a list',
    'boolean.base': 'is true or false',
    'number.base': 'is a number',
    'number.infinity': 'is a number',
    'number.integer': 'is a whole number',
    'number.min': 'is at least {{#limit}}',
    'number.greater': 'is greater than {{#limit}}',
    'object.base': 'is {if(#type == "function", "a function", "an object")}',
    'string.base': 'is a text',
    'string.empty': 'is a text that is not empty',
  }),
}

/** Parses the texts once: Joi parses texts for each value that it validates. */
function parseTexts(texts: Readonly<Record<string, string>>): Joi.LanguageMessages {
  return Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, Joi.expression(text)]))
}

/** The faults of the arguments of a modifier. */
export function argumentFaults(name: string, forms: readonly Joi.Schema[], args: readonly unknown[]): string[] {
  return forms.flatMap((form, index) =>
    formFaults(form, args[index]).map(({ path, message }) => `${[`${name}()`, ...path].join('.')}: ${message}`),
  )
}
