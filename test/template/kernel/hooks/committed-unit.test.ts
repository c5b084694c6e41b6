import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Operation } from '#kernel/plugin'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

describe('The EntityManager of a unit whose only statement has committed', () => {
  after(emptyLibrary)

  it('sends statements of afterCommit outside of the transaction, also if it was created before', async () => {
    const titles: string[] = []
    const { client, close } = await startLibrary({
      plugins: [
        ...plugins,
        {
          name: 'hooks',
          plan: addSteps({
            check: { of: 'input', check: ({ context: { unit } }: Operation) => void unit.em },
            async afterCommit({ context: { unit } }) {
              titles.push((await unit.em.findOneOrFail(Book, 1)).title)
              await unit.em.getConnection().execute('update books set position = 9 where id = 1')
              return undefined
            },
          }),
        },
      ],
    })
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute("insert into books (id, title) values (1, 'Emma')")
    const data = { type: 'books', id: '1', attributes: { title: 'Persuasion' } }
    expect((await client.patch('/books/1', { data })).status).to.equal(200)
    expect(titles).to.deep.equal(['Persuasion'])
    const sessions = `select count(*)::int as count from pg_stat_activity
      where state = 'idle in transaction' and datname = current_database()`
    expect(await connection.execute(sessions)).to.deep.equal([{ count: 0 }])
    await close()
  })
})
