import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp } from '#test/support/app.ts'
import { Tag } from '#test/support/library/entities.ts'
import { libraryDatabase } from '#test/support/library/index.ts'
import { open } from '../index.ts'

describe('The start with a writable type', () => {
  const start = async (declaration: Partial<ResourceDeclaration<Tag>>, production: boolean, allowed = false) => {
    const warnings: string[] = []
    const logger = { error() {}, info() {}, warn: (_: object, message: string) => void warnings.push(message) }
    const config = { production, variables: { ALLOW_OPEN_TYPES: allowed } }
    const options = { resources: declare(declaration), database: await libraryDatabase(), logger, config }
    const built = await buildApp(options).catch((error) => error)
    if (built instanceof BootError) return { warnings, refusal: built.message }
    await built.close()
    return { warnings, refusal: null }
  }
  const message = "tags (tags.ts): Anyone can write it: add a policy, or 'policy: open' where that is meant."

  it('warns when the type has no policy', async () => {
    expect(await start({}, false)).to.deep.equal({ warnings: [message], refusal: null })
  })

  it('is refused in production when the type has no policy', async () => {
    const refusal = `${message}\nALLOW_OPEN_TYPES=true starts production all the same.`
    expect(await start({}, true)).to.deep.equal({ warnings: [message], refusal })
  })

  it('warns in production when ALLOW_OPEN_TYPES is true', async () => {
    expect(await start({}, true, true)).to.deep.equal({ warnings: [message], refusal: null })
  })

  it('says nothing when the type is open on purpose, or cannot be written', async () => {
    expect(await start({ policy: open }, true)).to.deep.equal({ warnings: [], refusal: null })
    expect(await start({ readOnly: true }, true)).to.deep.equal({ warnings: [], refusal: null })
  })
})

function declare(declaration: Partial<ResourceDeclaration<Tag>>): readonly DeclaredResource[] {
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string }) => [id(), string('name')],
    ...declaration,
  })
  return [{ file: 'tags.ts', resource: tags }]
}
