"""What can be prepared, one file each; every file registers its step (`judgelab.preparation.step`)."""
