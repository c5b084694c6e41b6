/**
 * A blog: serial and uuid keys, citext, a self-reference, join tables, a view, functions, triggers, unique and check
 * constraints.
 */
export const blog: readonly string[] = [
  'create extension citext',
  'create extension "uuid-ossp"',
  `create table authors (
    id serial primary key,
    email citext not null unique,
    display_name text not null,
    password_hash text not null default '',
    bio text,
    joined_at timestamptz not null default now()
  )`,
  `create table categories (
    id serial primary key,
    slug varchar(80) not null,
    parent_id integer references categories on delete set null,
    constraint categories_slug_unique unique (slug)
  )`,
  `create table posts (
    id uuid primary key default uuid_generate_v4(),
    author_id integer not null references authors on delete cascade,
    editor_id integer references authors,
    category_id integer references categories,
    title varchar(200) not null,
    body text not null default '',
    status text not null default 'draft' check (status in ('draft', 'published', 'archived')),
    views bigint not null default 0 check (views >= 0),
    tags text[] not null default '{}',
    settings jsonb not null default '{}',
    published_at timestamp,
    updated_at timestamptz not null default now()
  )`,
  'create index posts_author on posts (author_id)',
  'create index posts_title_lower on posts (lower(title))',
  `create index posts_published on posts (published_at desc) where status = 'published'`,
  'create index posts_settings on posts using gin (settings)',
  `create table comments (
    id bigserial primary key,
    post_id uuid not null references posts on delete cascade,
    reply_to bigint references comments,
    body text not null,
    ip inet,
    created_at timestamptz(3) not null default now()
  )`,
  'create table labels (name varchar(40) primary key, colour char(7))',
  `create table post_labels (
    post_id uuid not null references posts on delete cascade,
    label varchar(40) not null references labels on update cascade,
    primary key (post_id, label)
  )`,
  `create table followers (
    follower_id integer not null references authors on delete cascade,
    followed_id integer not null references authors on delete cascade,
    since date not null default current_date,
    primary key (follower_id, followed_id)
  )`,
  `create view published_posts as
    select p.id, p.title, p.published_at, a.display_name as author from posts p join authors a on a.id = p.author_id
    where p.status = 'published'`,
  `create function touch_post() returns trigger language plpgsql as $$ begin new.updated_at = now(); return new; end $$`,
  `create function post_count(authors) returns bigint language sql stable as
    'select count(*) from posts where author_id = $1.id'`,
  'create trigger posts_touch before update on posts for each row execute function touch_post()',
  `insert into authors (email, display_name) select 'author-' || n || '@example.com', 'Author ' || n from generate_series(1, 5) n`,
  `insert into categories (slug, parent_id) values ('news', null), ('world', 1), ('sport', 1)`,
  `insert into posts (author_id, editor_id, category_id, title, status, published_at, tags, settings)
    select 1 + n % 5, nullif(n % 3, 0), 1 + n % 3, 'Post ' || n, case when n % 2 = 0 then 'published' else 'draft' end,
      timestamp '2024-01-01' + n * interval '1 hour', array['a', 'b,c'], '{"pinned": true}' from generate_series(1, 30) n`,
  `insert into comments (post_id, body, ip) select id, 'Comment on ' || title, '10.0.0.1' from posts`,
  `insert into labels values ('red', '#ff0000'), ('with space', null), ('a/b', null)`,
  'insert into post_labels select id, name from posts cross join labels where views = 0',
  'insert into followers (follower_id, followed_id) values (1, 2), (2, 1), (3, 1)',
]
