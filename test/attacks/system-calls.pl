# Tries, by system calls, to reach a process outside the sandbox and to get rights. Changes nothing that lasts.
# Arguments: architecture, process of the service, a folder of its own. Prints a line for each try: yes or no, and its name.
use strict;
use warnings;
use Socket;

my ($arch, $process, $own) = @ARGV;
# A number: a text would be passed as an address.
my $pid = $process + 0;
my %numbers = (
    x64 => {
        ptrace => 101, process_vm_readv => 310, pidfd_open => 434, mount => 165, umount => 166, unshare => 272, keyctl => 250,
        mknodat => 259, chroot => 161, perf_event_open => 298, prlimit => 302, sched_getaffinity => 204, bpf => 321,
    },
    arm64 => {
        ptrace => 117, process_vm_readv => 270, pidfd_open => 434, mount => 40, umount => 39, unshare => 97, keyctl => 219,
        mknodat => 33, chroot => 51, perf_event_open => 241, prlimit => 261, sched_getaffinity => 123, bpf => 280,
    },
);
my $call = $numbers{$arch} or die "unknown architecture $arch\n";
my $buffer = "\0" x 4096;
my $tmpfs = "tmpfs\0";
my $path = "$own\0";

sub report { my ($name, $reached) = @_; print(($reached ? 'yes' : 'no'), " $name\n"); }

# PTRACE_SEIZE does not stop the process, and ends with this program.
report('ptrace of the service', syscall($call->{ptrace}, 0x4206, $pid, 0, 0) == 0);
my $local = pack('QQ', unpack('Q', pack('P', $buffer)), 8);
my $remote = pack('QQ', 4096, 8);
# With the right to read, the wrong address is the error: 14 is EFAULT.
report('memory of the service', syscall($call->{process_vm_readv}, $pid, $local, 1, $remote, 1, 0) >= 0 || $! == 14);
report('descriptor of the service', syscall($call->{pidfd_open}, $pid, 0) >= 0);
report('processors of the service', syscall($call->{sched_getaffinity}, $pid, 4096, $buffer) > 0);
report('limits of the service', syscall($call->{prlimit}, $pid, 7, 0, $buffer) == 0);
report('signal to the service', kill(0, $pid));
report('signal to all processes', kill(0, -1));
my $event = pack('LLQQQQQ', 1, 112, 0, 0, 0, 0, 1) . "\0" x 64;
report('counters of the service', syscall($call->{perf_event_open}, $event, $pid, -1, -1, 0) >= 0);
# KEYCTL_READ of the user keyring.
report('kernel keys of the user', syscall($call->{keyctl}, 11, -4, $buffer, 4096, 0) > 0);
report('raw socket', socket(my $raw, AF_INET, SOCK_RAW, 1));
report('packet socket', socket(my $packet, 17, SOCK_RAW, 0));
my $mounted = syscall($call->{mount}, $tmpfs, $path, $tmpfs, 0, 0) == 0;
syscall($call->{umount}, $path, 2) if $mounted;
report('new mount', $mounted);
my $device = "$own/device\0";
my $made = syscall($call->{mknodat}, -100, $device, 0060600, 0xfe00) == 0;
unlink("$own/device") if $made;
report('new device', $made);
my $map = pack('LLLLL', 1, 4, 4, 1, 0) . "\0" x 48;
report('program in the kernel', syscall($call->{bpf}, 0, $map, 20) >= 0);
# In children of its own: these change the process.
for my $try (
    ['new user namespace', sub { syscall($call->{unshare}, 0x10000000) == 0 }],
    ['new network namespace', sub { syscall($call->{unshare}, 0x40000000) == 0 }],
    ['new root folder', sub { syscall($call->{chroot}, $path) == 0 }],
) {
    my $child = fork();
    if (defined $child && $child == 0) { exit($try->[1]->() ? 7 : 0); }
    waitpid($child, 0);
    report($try->[0], ($? >> 8) == 7);
}
# The kernel does not limit the processes of root.
my @children;
while (@children < 400) {
    my $child = fork();
    last unless defined $child;
    if ($child == 0) { sleep 30; exit 0; }
    push @children, $child;
}
kill('KILL', @children) if @children;
waitpid($_, 0) for @children;
report('processes without limit', @children >= 400);
