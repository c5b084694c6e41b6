import { expect } from 'chai'
import { pluginVariables, readConfig } from '#app/config.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp } from '#test/support/app.ts'
import { Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { authorization, open } from '../index.ts'

describe('Boot with a type without a policy', () => {
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
  const message =
    "tags (tags.ts): The type has no policy, every caller may use it: add one, or 'policy: open' if that is intended."

  it('logs a warning outside production', async () => {
    expect(await start({}, false)).to.deep.equal({ warnings: [message], refusal: null })
  })

  it('fails in production', async () => {
    const refusal = `${message}\nSet ALLOW_OPEN_TYPES=true to start production with these types.`
    expect(await start({}, true)).to.deep.equal({ warnings: [message], refusal })
  })

  it('logs a warning in production when ALLOW_OPEN_TYPES is true', async () => {
    expect(await start({}, true, true)).to.deep.equal({ warnings: [message], refusal: null })
  })

  it("logs nothing when the policy is the text 'open'", async () => {
    expect(await start({ policy: 'open' }, true)).to.deep.equal({ warnings: [], refusal: null })
  })

  for (const [name, declaration] of Object.entries<Partial<ResourceDeclaration<Tag>>>({
    'is read-only': { readOnly: true },
    'can only be listed': { operations: ['FetchCollection'], emitsSelfLink: false },
    'has no operations and is shown through relations': { operations: 'none', emitsSelfLink: false },
  })) {
    it(`fails in production when the type ${name}`, async () => {
      const refusal = `${message}\nSet ALLOW_OPEN_TYPES=true to start production with these types.`
      expect(await start(declaration, true)).to.deep.equal({ warnings: [message], refusal })
    })
  }

  it('reads ALLOW_OPEN_TYPES as false by default', () => {
    const { variables } = readConfig({ NODE_ENV: 'test' }, pluginVariables([authorization()], {}))
    expect(variables).to.deep.equal({ ALLOW_OPEN_TYPES: false })
  })

  it('logs nothing when the policy is open', async () => {
    expect(await start({ policy: open }, true)).to.deep.equal({ warnings: [], refusal: null })
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
