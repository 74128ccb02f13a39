/** The manuals and code bases of the bench: the package of each, and which of its files are used. */

export interface Package {
  from: 'debian' | 'npm';
  name: string;
  version: string;
}

/** Files of one package. Patterns are relative to `root`, which may itself be a pattern. */
export interface FileSet {
  package: Package;
  root: string;
  include: readonly string[];
  exclude?: readonly string[];
  /** Text of pages that only redirect; they are left out. */
  stub?: string;
  /** Prefix of the paths of these files, for corpora of several packages. */
  prefix?: string;
}

export interface Corpus {
  name: string;
  format: 'html' | 'pdf' | 'man' | 'code';
  madeBy: string;
  sets: readonly FileSet[];
}

const RUST_DOC = debian('rust-doc', '1.63.0+dfsg1-2');

export const CORPORA: readonly Corpus[] = [
  html('aptitude', 'DocBook', {
    package: debian('aptitude-doc-en', '0.8.13-5'),
    root: 'usr/share/doc/aptitude/html/en',
    include: ['*.html'],
  }),
  html('borg', 'Sphinx', {
    package: debian('borgbackup-doc', '1.2.4-1'),
    root: 'usr/share/doc/borgbackup/html',
    include: ['**/*.html'],
    exclude: ['_modules/**', '_sources/**', '_static/**', 'genindex*.html', 'search.html'],
  }),
  html('weechat', 'Asciidoctor', {
    package: debian('weechat-doc', '3.8-1'),
    root: 'usr/share/doc/weechat-doc/html',
    include: ['weechat_{user,faq,quickstart,relay_protocol}.{en,de}.html'],
  }),
  {
    name: 'rustbook',
    format: 'html',
    madeBy: 'mdBook',
    sets: ['book', 'rustc'].map((book) => ({
      package: RUST_DOC,
      root: `usr/share/doc/rust-doc/html/${book}`,
      include: ['**/*.html'],
      exclude: ['**/print.html', '{first,second,2018}-edition/**'],
      prefix: book,
      stub: 'this is an old link',
    })),
  },
  html('libusb', 'Doxygen', {
    package: debian('libusb-1.0-doc', '2:1.0.26-1'),
    root: 'usr/share/doc/libusb-1.0-doc',
    include: ['**/*.html'],
  }),
  html('lang3', 'javadoc', {
    package: debian('libcommons-lang3-java-doc', '3.12.0-2+deb12u1'),
    root: 'usr/share/doc/libcommons-lang3-java/{api,apidocs}',
    include: ['org/apache/commons/lang3/*.html'],
  }),
  html('ikiwiki', 'ikiwiki', {
    package: debian('ikiwiki', '3.20200202.3-1'),
    root: 'usr/share/doc/ikiwiki/html',
    include: ['*.html', '{ikiwiki,plugins,tips}/**/*.html'],
  }),
  {
    name: 'octave',
    format: 'pdf',
    madeBy: 'texinfo, TeX',
    sets: [
      {
        package: debian('octave-doc', '7.3.0-2'),
        root: 'usr/share/doc/octave',
        include: ['{octave,liboctave,refcard-a4}.pdf'],
      },
    ],
  },
  {
    name: 'man',
    format: 'man',
    madeBy: 'roff',
    sets: [
      manPages('openssh-client', '1:9.2p1-2+deb12u10'),
      manPages('rsync', '3.5.0+ds1-0+deb12u1'),
      manPages('tmux', '3.3a-3'),
      manPages('jq', '1.6-2.1+deb12u3'),
      manPages('curl', '7.88.1-10+deb12u15'),
      manPages('systemd', '252.39-1~deb12u2'),
    ],
  },
  {
    name: 'code',
    format: 'code',
    madeBy: 'hand',
    sets: [
      code({ from: 'npm', name: 'rxjs', version: '7.8.2' }, ['package/src/**/*.ts']),
      code({ from: 'npm', name: 'commander', version: '14.0.3' }, ['package/**/*.{js,ts}']),
      code(debian('python3-requests', '2.28.1+dfsg-1'), ['**/*.py']),
      code(debian('golang-github-spf13-cobra-dev', '1.6.1-1'), ['**/*.go']),
      code(debian('librust-clap-dev', '4.0.32-1'), ['**/*.rs']),
    ],
  },
];

/** Returns the corpora with these names. @throws Error for an unknown name. */
export function chooseCorpora(names: string | undefined): Corpus[] {
  if (names === undefined) return [...CORPORA];
  return names.split(',').map((name) => {
    const corpus = CORPORA.find((one) => one.name === name);
    if (!corpus) throw new Error(`No corpus is named ${name}. Names: ${CORPORA.map((one) => one.name).join(', ')}.`);
    return corpus;
  });
}

function debian(name: string, version: string): Package {
  return { from: 'debian', name, version };
}

function html(name: string, madeBy: string, set: FileSet): Corpus {
  return { name, format: 'html', madeBy, sets: [set] };
}

function manPages(name: string, version: string): FileSet {
  return { package: debian(name, version), root: 'usr/share/man', include: ['man[1-8]/*.gz'], prefix: name };
}

function code(from: Package, include: readonly string[]): FileSet {
  return { package: from, root: '.', include, prefix: from.name };
}
