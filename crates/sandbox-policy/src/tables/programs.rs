//! Names that a desktop's opener runs instead of showing.

use super::{Row, file, row};

/// The names of programs and launchers.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[Row] = &[
    file("desktop_entry", "*.desktop"), // https://specifications.freedesktop.org/desktop-entry-spec/latest/
    file("app_image", "*.AppImage"), // https://docs.appimage.org/
    row("mac_app", "*.app"), // https://developer.apple.com/library/archive/documentation/CoreFoundation/Conceptual/CFBundles/
    row("mac_script", "*.{command,tool,workflow,terminal,action}"), // https://support.apple.com/guide/terminal/welcome/mac
    row("mac_package", "*.{pkg,mpkg,dmg,scpt,scptd}"), // https://developer.apple.com/documentation/xcode/distributing-your-app-to-registered-devices
    file("link_file", "*.{lnk,url,webloc,fileloc,inetloc}"), // https://learn.microsoft.com/openspecs/windows_protocols/ms-shllink/
    file("windows_program", "*.{exe,com,scr,pif,msi,msp,cpl,msc,gadget,application}"), // https://learn.microsoft.com/windows-server/administration/windows-commands/assoc
    file("windows_script", "*.{bat,cmd,ps1,vb,vbs,vbe,js,jse,wsf,wsh,hta,reg,scf}"), // https://learn.microsoft.com/windows-server/administration/windows-commands/wscript
    file("java_archive", "*.{jar,jnlp}"), // https://docs.oracle.com/en/java/javase/21/docs/specs/jar/jar.html
    file("shell_script", "*.{sh,bash,zsh,csh,ksh,fish,run}"), // https://specifications.freedesktop.org/shared-mime-info-spec/latest/
];
