import { StartupError } from '#store'
import { fieldForms, readFields } from './fields.ts'
import { deriveNames } from './names.ts'

export interface Terminal {
  prompt(question: string): Promise<string>
  print(text: string): void
}

export interface ResourceRequest {
  readonly type: string
  readonly fields: readonly string[]
  readonly inverse: boolean
}

/** Prompts for the type and its fields until each answer is valid. An empty line ends the fields. */
export async function promptForResource(terminal: Terminal): Promise<ResourceRequest> {
  const names = await retryUntilValid(terminal, async () =>
    deriveNames((await terminal.prompt('Type, as in articles: ')).trim()),
  )
  terminal.print(`Fields of ${names.type}, one per line, then an empty line:\n${fieldForms}`)
  const fields: string[] = []
  while (true) {
    const field = await retryUntilValid(terminal, async () =>
      readAnswer(await terminal.prompt('Field: '), fields, names.one),
    )
    if (!field) break
    fields.push(field)
  }
  const inverse = /^y/i.test(await terminal.prompt('Add inverse relations to the related types? (y/N) '))
  return { type: names.type, fields, inverse }
}

function readAnswer(answer: string, fields: readonly string[], entity: string): string {
  const field = answer.trim()
  if (field) readFields([...fields, field], entity)
  else if (fields.length === 0) throw new StartupError('A resource needs at least one field.')
  return field
}

async function retryUntilValid<T>({ print }: Terminal, read: () => Promise<T>): Promise<T> {
  while (true) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      print(error.message)
    }
  }
}
