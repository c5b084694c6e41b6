import { StartupError } from '#store'
import { fieldForms, readFields } from './fields.ts'
import { namesOf } from './names.ts'

export interface Conversation {
  ask(question: string): Promise<string>
  tell(text: string): void
}

export interface Wishes {
  readonly type: string
  readonly fields: readonly string[]
  readonly inverse: boolean
}

/** Asks until each answer is one; an empty line ends the fields. */
export async function askForResource(conversation: Conversation): Promise<Wishes> {
  const { ask, tell } = conversation
  const names = await insist(conversation, async () => namesOf((await ask('Type, as in articles: ')).trim()))
  tell(`Fields of ${names.type}, one a line, and an empty line at the end:\n${fieldForms}`)
  const fields: string[] = []
  while (true) {
    const field = await insist(conversation, async () => readAnswer(await ask('Field: '), fields, names.one))
    if (!field) break
    fields.push(field)
  }
  const inverse = /^y/i.test(await ask('Add the way back to the types it leads to? (y/N) '))
  return { type: names.type, fields, inverse }
}

function readAnswer(answer: string, fields: readonly string[], entity: string): string {
  const field = answer.trim()
  if (field) readFields([...fields, field], entity)
  else if (fields.length === 0) throw new StartupError('It needs a field at least.')
  return field
}

async function insist<T>({ tell }: Conversation, read: () => Promise<T>): Promise<T> {
  while (true) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      tell(error.message)
    }
  }
}
