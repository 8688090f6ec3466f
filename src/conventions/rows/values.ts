/** Properties whose first value is known. */
export const VALUES = {
  /** Numbers that are 0 on a new item. */
  zero: {
    where: 'property',
    names: `
      *counts? count* total* num* numberof* usage* *total *usage *used *attempts *retries *views *likes *followers
      *stars *forks *watchers *comments *received *balance *downloads amount* progress* *percent(age)?
    `,
    seen: 'Stripe, GitHub',
  },
  /** Before the name of what is counted. */
  countPrefix: { where: 'property', names: 'total num numberof count', seen: 'GitHub, Stripe' },
  /** A server sets it on every item. */
  ofServer: {
    where: 'property',
    names: `
      *secret *token *key *url *uri *href *links? *slug *sid *number *version *status *state *phase *etag
      *fingerprint *hash *checksum
    `,
    seen: 'GitHub, Stripe',
  },
  /** True from the beginning. */
  true: { where: 'property', names: '(is)?(active|enabled|available|valid|live)(flag)?', seen: 'GitHub, Stripe' },
  /** Documents shorten these. */
  shortened: {
    where: 'property',
    names: 'url uri email name title text content body phone address amount description reference',
    seen: 'GitHub, Box',
  },
  active: { where: 'property', names: '(is)?(active|enabled)(flag)?', seen: 'GitHub, Box' },
  listLength: {
    where: 'property',
    names: 'total count total(count|items|results|elements) numberofelements resultcount',
    seen: 'GitHub, Stripe',
  },
  /** A word of a boolean that is false in a normal state. */
  falseWord: {
    where: 'word',
    names: `
      more archived blocked banned cancelled canceled disabled error expired failed hidden locked suspended
      revoked test
    `,
    seen: 'GitHub, OpenAI',
  },
  /** A word of a boolean that is true in a normal state. */
  trueWord: { where: 'word', names: 'active enabled ok success valid available deleted live', seen: 'GitHub, Stripe' },
} as const;

/** Strings whose form is known to people who run software. */
export const TECHNICAL = {
  repository: {
    where: 'property',
    names: '(git)?repo(sitory)?(url|uri)? git(url|uri) (clone|checkout)(url|uri) *gitrepo(sitory)?',
    seen: 'GitLab, Argo CD',
  },
  branch: { where: 'property', names: '(git|default|base|source|target|head)?branch gitref', seen: 'GitHub' },
  image: { where: 'property', names: '(docker|container|base|oci)image(name|uri|url|ref)?', seen: 'Docker, Fly.io' },
  publicKey: { where: 'property', names: '*publickey ssh(public)?key authorizedkey', seen: 'GitHub, Hetzner Cloud' },
  privateKey: { where: 'property', names: '*privatekey(pem)?', seen: 'Hetzner Cloud' },
  certificate: {
    where: 'property',
    names: '(ssl|tls|ca|client|server)?cert(ificate)?(pem|chain)? cabundle',
    seen: 'Hetzner Cloud, Kubernetes',
  },
  host: { where: 'property', names: '*fqdn dnsname *nameserver *cname', seen: 'Hetzner Cloud, Vercel' },
  ipv4: {
    where: 'property',
    names: '*ipv4(address)? (default|ip|network)gateway gatewayip nexthop',
    seen: 'DigitalOcean',
  },
  ipv6: { where: 'property', names: '*ipv6(address)?', seen: 'DigitalOcean' },
  network: { where: 'property', names: '*cidr(block|range)? *subnet *iprange', seen: 'DigitalOcean, Hetzner Cloud' },
  netmask: { where: 'property', names: '*(net|subnet)mask', seen: 'DigitalOcean' },
  quantity: {
    where: 'property',
    names: 'memory ram *(disk|storage|memory|ram|volume|swap|cache|heap)(size|limit|request|quota|capacity)',
    seen: 'Kubernetes, Fly.io',
  },
  machine: {
    where: 'property',
    names: '(instance|machine|vm|server)(type|size) instanceclass nodesize',
    seen: 'Fly.io',
  },
  zone: { where: 'property', names: 'availabilityzone datacenter', seen: 'Hetzner Cloud' },
  system: { where: 'property', names: 'os operatingsystem osname ostype', seen: 'Docker, DigitalOcean' },
  architecture: { where: 'property', names: '(cpu)?arch(itecture)?', seen: 'Docker, Hetzner Cloud' },
  command: {
    where: 'property',
    names: '(start|build|run|test|install|shell|exec)command commandline cmd entrypoint',
    seen: 'Docker, Vercel',
  },
  cron: { where: 'property', names: '*cron(expression|schedule|string|tab)?', seen: 'Vercel, Argo CD' },
  regex: { where: 'property', names: '*regexp?', seen: 'GitLab' },
  statement: { where: 'property', names: '*sql(query|statement)?', seen: 'Elasticsearch' },
  connection: { where: 'property', names: '(database|db)(url|uri|dsn) *connectionstring dsn', seen: 'Sentry' },
  algorithm: {
    where: 'property',
    names: '(signature|signing|hash|hashing|digest|checksum)?algorithm',
    seen: 'JSON Web Algorithms',
  },
  charset: { where: 'property', names: '*charset *characterset', seen: 'HTML' },
  protocol: { where: 'property', names: '(network|transport|ip)?protocol', seen: 'DigitalOcean, Kubernetes' },
  resolution: { where: 'property', names: '(video|screen|image|display|camera|output|max|min)resolution', seen: 'Mux' },
} as const;
